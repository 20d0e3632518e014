import { countOf, heightsOf } from './scales.js';

export interface MonthCount {
  /** Such as `2026-12`. */
  readonly month: string;
  readonly own: number;
  readonly other: number;
}

interface Bar {
  readonly month: string;
  /** A short name such as `Dec`. */
  readonly label: string;
  /** The year, in its first month only. */
  readonly year: string | null;
  readonly total: number;
  /** The height of the whole bar. */
  readonly height: number;
  readonly ownHeight: number;
  readonly text: string;
}

const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Makes a bar for each month. The largest bar has the given height. */
export function toMonthBars(months: readonly MonthCount[], room: number): readonly Bar[] {
  const heights = heightsOf(
    months.map(({ own, other }) => own + other),
    room,
  );
  return months.map(({ month, own, other }, index) => {
    const total = own + other;
    const height = heights[index] ?? 0;
    return {
      ...{ month, total, height },
      label: short.format(firstDay(month)),
      year: month.endsWith('-01') ? month.slice(0, 4) : null,
      ownHeight: total === 0 ? 0 : (height * own) / total,
      text: `${monthName(month)}: ${describe(own, other)}`,
    };
  });
}

/** Returns a name such as `December 2026`. */
export function monthName(month: string): string {
  return long.format(firstDay(month));
}

function describe(own: number, other: number): string {
  const total = own + other;
  if (total === 0) return 'nothing expires';
  const verb = total === 1 ? 'expires' : 'expire';
  return `${countOf(total, 'name')} ${verb}, ${own === total ? 'all' : own.toLocaleString('en')} yours`;
}

function firstDay(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`);
}
