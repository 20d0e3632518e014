import type { CheckedName } from './check-run.js';

type CellState = 'free' | 'taken' | 'waiting' | 'unknown' | 'none';

interface Cell {
  readonly domain: string;
  readonly ending: string;
  readonly state: CellState;
}

export interface Grid {
  readonly rows: readonly { readonly word: string; readonly cells: readonly Cell[] }[];
}

/** With fewer names, a list is as easy to read. */
const FEWEST = 4;

/** Arranges names in a row for each word and a column for each suffix. Returns null if they do not fit. */
export function toGrid(names: readonly CheckedName[]): Grid | null {
  if (names.length < FEWEST || names.some(({ foundIn, kind }) => foundIn !== null || kind !== null)) return null;
  const byWord = Map.groupBy(names, ({ domain }) => domain.split('.', 1)[0] ?? '');
  if ([...byWord.values()].some((ofWord) => ofWord.length < FEWEST)) return null;
  const rows = [...byWord].map(([word, ofWord]) => ({
    word,
    cells: ofWord.map((name) => ({
      domain: name.domain,
      ending: name.domain.slice(word.length),
      state: stateOf(name),
    })),
  }));
  return { rows };
}

function stateOf({ answer }: CheckedName): CellState {
  switch (answer.kind) {
    case 'answered':
      return answer.check.available ? 'free' : 'taken';
    case 'refused':
      return 'none';
    case 'waiting':
    case 'unknown':
      return answer.kind;
  }
}
