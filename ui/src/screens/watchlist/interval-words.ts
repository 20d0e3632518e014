const HOUR = 60;
const DAY = 24 * HOUR;

/** Returns a text such as `every 5 minutes`, `every hour` or `every 2 days`. */
export function describeInterval(minutes: number): string {
  if (minutes % DAY === 0) return every(minutes / DAY, 'day');
  return minutes % HOUR === 0 ? every(minutes / HOUR, 'hour') : every(minutes, 'minute');
}

function every(count: number, unit: string): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
