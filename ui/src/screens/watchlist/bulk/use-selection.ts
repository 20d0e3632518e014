import { useState } from 'preact/hooks';
import type { ExpandedEntry } from '../../../../../clients/typescript/src/index.js';

export interface Selection {
  /** Of the page that is shown. */
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
    ...{ entries, toggle, has: (id) => ids.has(id) },
    state: entries.length === 0 ? 'none' : entries.length === shown.length ? 'all' : 'some',
    selectAll: () => setIds(new Set(shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}
