import type { Import } from '../../../../clients/typescript/src/index.js';

type LineError = Import['errors'][number];

interface ErrorGroup {
  readonly message: string;
  /** null: the line as a whole. */
  readonly column: string | null;
  readonly lines: readonly [LineError, ...LineError[]];
}

/** Lines that were refused for one reason, together; the reason of the most lines first. */
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

/** `12`, `12, 13 and 40 more`. */
export function someOf(values: readonly string[]): string {
  const others = values.length - SHOWN;
  const shown = values.slice(0, SHOWN).join(', ');
  return others > 0 ? `${shown} and ${others.toLocaleString('en')} more` : shown;
}
