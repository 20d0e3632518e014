import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExpandedEntry } from '../../../../clients/typescript/src/index.js';

export interface Selection {
  /** The selected entries of the current page. */
  readonly entries: readonly ExpandedEntry[];
  /** The number of selected names, on all pages. */
  readonly count: number;
  /** The number of names in the list, on all pages. */
  readonly total: number;
  /** Whether all matching names are selected, even on other pages. */
  readonly isOfAllPages: boolean;
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly state: 'all' | 'none' | 'some';
  readonly selectAll: () => void;
  /** Selects the names of all pages. It is null if there is only one page. */
  readonly selectAllPages: (() => void) | null;
  readonly clear: () => void;
}

/**
 * Keeps the selected entries of the current page, or the selection of all matching entries.
 * @param filters the filters of the list; new filters end a selection of all
 */
export function useSelection(shown: readonly ExpandedEntry[], total: number, filters: object): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [filtersOfAll, setFiltersOfAll] = useState<string | null>(null);
  const isOfAllPages = filtersOfAll === JSON.stringify(filters);
  const entries = isOfAllPages ? shown : shown.filter(({ id }) => ids.has(id));
  const select = (chosen: Iterable<string>) => {
    setFiltersOfAll(null);
    setIds(new Set(chosen));
  };
  const toggle = (id: string) => {
    const before = entries.map((entry) => entry.id);
    select(before.includes(id) ? before.filter((one) => one !== id) : [...before, id]);
  };
  return {
    entries,
    toggle,
    isOfAllPages,
    total,
    count: isOfAllPages ? total : entries.length,
    has: (id) => isOfAllPages || ids.has(id),
    state: entries.length === 0 ? 'none' : entries.length === shown.length ? 'all' : 'some',
    selectAll: () => select(shown.map(({ id }) => id)),
    selectAllPages: total > shown.length ? () => setFiltersOfAll(JSON.stringify(filters)) : null,
    clear: () => select([]),
  };
}

/** Gets the focus when the bar of selected names disappears. */
const SELECT_ALL_ID = 'select-all';

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
