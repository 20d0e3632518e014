/** How much of the room each value takes: the largest takes the whole room, and any above zero enough to be seen. */
export function heightsOf(values: readonly number[], room: number, least = 2): readonly number[] {
  const largest = Math.max(1, ...values);
  return values.map((value) => (value <= 0 ? 0 : Math.max(least, (value / largest) * room)));
}

/** Where a moment is between two others, from 0 to 1; moments outside are at its ends. */
export function placeBetween(at: number, from: number, to: number): number {
  if (to <= from) return 0;
  return Math.min(1, Math.max(0, (at - from) / (to - from)));
}

/** `950`, `1.2k`, `12k`, `1M`: a number for where there is little room. */
export function shortCount(count: number): string {
  return compact.format(count).replace('K', 'k');
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1 name`, `1,204 names`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** The level of a count from 0 (none) to 4 (the most), as a heat calendar colours it. */
export function levelOf(count: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (count <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((count / Math.max(1, most)) * 4))) as 1 | 2 | 3 | 4;
}
