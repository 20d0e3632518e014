const UNITS = [
  { minutes: 1_440, unit: 'd' },
  { minutes: 60, unit: 'h' },
  { minutes: 1, unit: 'min' },
];

/** `5 min`, `6 h`, `1 d`. */
export function describeInterval(minutes: number): string {
  const found = UNITS.find((one) => minutes % one.minutes === 0) ?? { minutes: 1, unit: 'min' };
  return `${(minutes / found.minutes).toLocaleString('en')} ${found.unit}`;
}

/** `60 a minute`, or `no limit` where the plan has none. */
export function describeLimit(limit: number | null, of: string): string {
  return limit === null ? 'no limit' : `${limit.toLocaleString('en')} ${of}`;
}
