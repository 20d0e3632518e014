/** Returns a height for each value. The largest value gets all the room, and any value above zero at least `least`. */
export function heightsOf(values: readonly number[], room: number, least = 2): readonly number[] {
  const largest = Math.max(1, ...values);
  return values.map((value) => (value <= 0 ? 0 : Math.max(least, (value / largest) * room)));
}

/** Returns the position of a moment between two others, from 0 to 1. Limits moments outside to 0 or 1. */
export function placeBetween(at: number, from: number, to: number): number {
  if (to <= from) return 0;
  return Math.min(1, Math.max(0, (at - from) / (to - from)));
}

/** Returns a short number, such as `950`, `1.2k`, `12k` or `1M`. */
export function shortCount(count: number): string {
  return compact.format(count).replace('K', 'k');
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Returns a text such as `1 name` or `1,204 names`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Returns the colour level of a count in a heat calendar, from 0 (none) to 4 (the most). */
export function levelOf(count: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (count <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((count / Math.max(1, most)) * 4))) as 1 | 2 | 3 | 4;
}
