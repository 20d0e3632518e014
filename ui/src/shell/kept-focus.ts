import { useEffect } from 'preact/hooks';

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary';

/**
 * Moves the focus when the focused element is removed, such as a button that did its work. The next element nearby gets
 * the focus, since keyboard users would otherwise lose their place.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let trail: readonly Element[] = [];
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof Element) trail = [target, ...ancestorsOf(target)];
    };
    const keep = () => {
      const [lost] = trail;
      if (!lost || lost.isConnected || document.activeElement !== document.body) return;
      const place = trail.find((element) => element.isConnected && element !== document.body && element.id !== 'app');
      const next = place?.querySelector<HTMLElement>(FOCUSABLE) ?? document.querySelector<HTMLElement>('h1');
      next?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(keep);
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, []);
}

function ancestorsOf(element: Element): readonly Element[] {
  const parent = element.parentElement;
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}
