export type Span = readonly [from: Date, to: Date];

const MONTHS_AHEAD = 12;

export function comingMonths(now: Date): readonly string[] {
  return Array.from({ length: MONTHS_AHEAD }, (_, ahead) =>
    toMonth(firstOf(now.getUTCFullYear(), now.getUTCMonth() + ahead)),
  );
}

export function monthSpan(month: string): Span {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return [firstOf(year, number - 1), new Date(firstOf(year, number).getTime() - 1)];
}

/** Returns the time that all spans have in common. If the spans do not overlap, the result ends before it starts. */
export function intersect(spans: readonly Span[]): Span | undefined {
  if (spans.length === 0) return undefined;
  const from = Math.max(...spans.map(([first]) => first.getTime()));
  const to = Math.min(...spans.map(([, last]) => last.getTime()));
  return [new Date(from), new Date(to)];
}

/** @param month counts from 0; 12 is January of the next year */
function firstOf(year: number, month: number): Date {
  const first = new Date(0);
  first.setUTCFullYear(year, month, 1); // Date.UTC would read a year below 100 as 19xx
  return first;
}

function toMonth(first: Date): string {
  return first.toISOString().slice(0, 7);
}
