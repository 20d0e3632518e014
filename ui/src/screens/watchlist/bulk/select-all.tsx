import { useEffect, useRef } from 'preact/hooks';
import type { Selection } from './use-selection.js';

/** Where the focus goes when the bar of the selected names disappears. */
const SELECT_ALL_ID = 'select-all';

/** Selects the whole page, or nothing. */
export function SelectAll({ selection: { state, selectAll, clear } }: { selection: Selection }) {
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (element.current) element.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <input
      ref={element}
      id={SELECT_ALL_ID}
      type="checkbox"
      aria-label="Select all names of this page"
      checked={state === 'all'}
      onChange={state === 'all' ? clear : selectAll}
    />
  );
}

export function focusSelectAll(): void {
  document.getElementById(SELECT_ALL_ID)?.focus();
}
