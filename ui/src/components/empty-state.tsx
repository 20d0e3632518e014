import type { ComponentChildren } from 'preact';

/** Where a list has nothing: what belongs there and how to begin. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card empty-state">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
