import type { Import } from '../../../../clients/typescript/src/index.js';

type LineError = Import['errors'][number];

interface ErrorGroup {
  readonly message: string;
  /** null if the error is about the whole line. */
  readonly column: string | null;
  readonly lines: readonly [LineError, ...LineError[]];
}

/** Groups refused lines by reason. The reason of the most lines comes first. */
export function groupErrors(errors: readonly LineError[]): readonly ErrorGroup[] {
  const groups = Map.groupBy(errors, ({ column, message }) => `${column ?? ''}\n${message}`);
  return [...groups.values()]
    .flatMap((lines): ErrorGroup[] => {
      const [first, ...others] = lines;
      return first ? [{ message: first.message, column: first.column ?? null, lines: [first, ...others] }] : [];
    })
    .toSorted((one, other) => other.lines.length - one.lines.length);
}

const SHOWN = 3;

/** Returns a text such as `12`, or `12, 13 and 40 more`. */
export function someOf(values: readonly string[]): string {
  const others = values.length - SHOWN;
  const shown = values.slice(0, SHOWN).join(', ');
  return others > 0 ? `${shown} and ${others.toLocaleString('en')} more` : shown;
}
