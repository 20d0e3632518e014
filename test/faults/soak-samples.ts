/** How long a soak is, in simulated days. */
export const DAYS = 30;

/** The second and the last quarter of the month, in days. */
const [EARLY, LATE] = [
  [7.5, 15],
  [22.5, 30],
] as const;

/** The measurements of one moment, by their names. */
export interface Sample {
  readonly day: number;
  readonly values: Readonly<Record<string, number>>;
}

/** Compares the last quarter of the month with the second one, in which what retention deletes is deleted already. */
export function findGrowth(all: readonly Sample[]): string[] {
  const names = [...new Set(all.flatMap((one) => Object.keys(one.values)))].filter((name) => !name.startsWith('most'));
  return names.flatMap((name) => {
    const [before, after] = [highest(all, name, EARLY), highest(all, name, LATE)];
    const bound = before * (name.endsWith('MB') ? 1.25 : 1.1) + allowance(name);
    return after > bound ? [`${name} grows: ${before.toFixed(1)} on days 7 to 15, ${after.toFixed(1)} at last`] : [];
  });
}

function allowance(name: string): number {
  if (name.startsWith('log of')) return 1_024; // max_wal_size: PostgreSQL keeps up to it for the next writes
  if (name.startsWith('table ') || name.endsWith('MB')) return 16;
  return name === 'dead rows' ? 50_000 : 8;
}

/** @param days from and to; 0 without a sample */
export function highest(all: readonly Sample[], name: string, [from, to]: readonly [number, number]): number {
  const within = all.filter(({ day }) => day >= from && day <= to).map((one) => one.values[name] ?? NaN);
  return Math.max(0, ...within.filter((value) => !Number.isNaN(value)));
}
