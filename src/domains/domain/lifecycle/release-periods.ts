/** A period after the drop in which a name is not open to everyone, although its registry has no record of it. */
export interface ReleasePeriod {
  readonly id: 'expiry_access_period' | 'dropzone';
  readonly maxDays: number;
  /** Matches the lower-cased notice in the registry's response. */
  readonly pattern: RegExp;
  readonly source: string;
}

export const RELEASE_PERIODS: readonly ReleasePeriod[] = [
  {
    id: 'expiry_access_period',
    maxDays: 10,
    pattern: /\bexpiry access (?:period|program)/,
    source:
      'Google Registry: Expiry Access Period, a price that falls for 10 days, for registrars that opted in (google/nomulus#3131, 2026-07-09; notice of its RDAP: google/nomulus#3221, 2026-08-27)',
  },
  {
    id: 'dropzone',
    maxDays: 1,
    pattern: /\bdrop ?zone\b/,
    source:
      'Identity Digital: Dropzone, about a day for registrars only (text of its WHOIS, 2024-05-12; thenamepros.com thread 1260310, 2022)',
  },
];

export function findReleasePeriodIn(sentence: string): ReleasePeriod | null {
  return RELEASE_PERIODS.find(({ pattern }) => pattern.test(sentence)) ?? null;
}

export function getReleasePeriod(id: ReleasePeriod['id']): ReleasePeriod | null {
  return RELEASE_PERIODS.find((period) => period.id === id) ?? null;
}
