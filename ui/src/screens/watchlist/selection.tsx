import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExpandedEntry } from '../../../../clients/typescript/src/index.js';

export interface Selection {
  /** Those of them on the page that is shown. */
  readonly entries: readonly ExpandedEntry[];
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  /** Whether all, none or some of the page are selected. */
  readonly state: 'all' | 'none' | 'some';
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Which entries of a page are selected; those of another page never are. */
export function useSelection(shown: readonly ExpandedEntry[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const entries = shown.filter(({ id }) => ids.has(id));
  const toggle = (id: string) =>
    setIds((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set(before).add(id)));
  return {
    entries,
    toggle,
    has: (id) => ids.has(id),
    state: entries.length === 0 ? 'none' : entries.length === shown.length ? 'all' : 'some',
    selectAll: () => setIds(new Set(shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}

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
