import { useEffect } from 'preact/hooks';

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary';

/**
 * Where what had the focus is taken away, such as a button that did its work, the focus goes to what stands in its place:
 * a person without a mouse goes on from there. Otherwise it would fall to the whole page.
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
