import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  /** Also the title of the window. */
  readonly title: string;
  /** Replaces the title where it needs markup. */
  readonly heading?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Whether something inside takes the focus instead of the heading. */
  readonly hasOwnFocus?: boolean;
  readonly children: ComponentChildren;
}

/** A screen. Its heading takes the focus when the screen appears, so that a screen reader announces it. */
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

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {label}…
    </p>
  );
}

export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card empty-state">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
