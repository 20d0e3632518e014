/** From the first moment to the last one, both included. */
export type Span = readonly [from: Date, to: Date];

const MONTHS_AHEAD = 12;

/** The months of a year as `2026-12`, in UTC: that of now, and the eleven after it. */
export function comingMonths(now: Date): readonly string[] {
  return Array.from({ length: MONTHS_AHEAD }, (_, ahead) =>
    toMonth(firstOf(now.getUTCFullYear(), now.getUTCMonth() + ahead)),
  );
}

/** All moments of a month such as `2026-12`, in UTC. */
export function monthSpan(month: string): Span {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return [firstOf(year, number - 1), new Date(firstOf(year, number).getTime() - 1)];
}

/** The moments that are in all spans; undefined: there is none to be in. Spans without a common moment give an empty one. */
export function intersect(spans: readonly Span[]): Span | undefined {
  if (spans.length === 0) return undefined;
  const from = Math.max(...spans.map(([first]) => first.getTime()));
  const to = Math.min(...spans.map(([, last]) => last.getTime()));
  return [new Date(from), new Date(to)];
}

/** @param month counts from 0, and on into the years after */
function firstOf(year: number, month: number): Date {
  const first = new Date(0);
  first.setUTCFullYear(year, month, 1); // Date.UTC takes the years below 100 for those of the twentieth century
  return first;
}

function toMonth(first: Date): string {
  return first.toISOString().slice(0, 7);
}
