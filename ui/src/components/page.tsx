import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  /** Also the title of the window. */
  readonly title: string;
  /** Replaces the title where it has to be marked up. */
  readonly heading?: ComponentChildren;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  /** Something inside takes the focus instead of the heading. */
  readonly hasOwnFocus?: boolean;
  readonly children: ComponentChildren;
}

/** A screen: its heading takes the focus when it appears, so that a screen reader says where one has come. */
export function Page({ title, heading, actions, hasOwnFocus = false, children }: PageProps) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Namewatch`;
  }, [title]);
  useEffect(() => {
    if (!hasOwnFocus) element.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <h1 ref={element} tabIndex={-1}>
          {heading ?? title}
        </h1>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** Says that there is nothing to show yet. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {label}…
    </p>
  );
}

/** Where a list has nothing: what belongs there and how to begin. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card empty-state">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
