/** A period after a name's deletion in which not everyone may register the name yet. */
export interface ReleasePeriod {
  readonly id: 'expiry_access_period' | 'dropzone' | 'auction' | 'release_process';
  /** null for a period without a limit, because the registry may repeat an auction or a release process. */
  readonly maxDays: number | null;
  /** Matches the lower-cased notice in the registry's response. */
  readonly pattern: RegExp;
  readonly source: string;
}

const RELEASE_PERIODS: readonly ReleasePeriod[] = [
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
  {
    id: 'auction',
    maxDays: null,
    pattern: /\bauction pending\b|\b(?:at|in|pending|up for|scheduled for|being)[ -]?auction(?:ed)?\b/,
    source:
      'CZ.NIC: a right to register that is auctioned 16 days after the deletion, and again unless the winner uses it (podpora.generalregistry.cz/kb/a4447, in force since 2024-05-01); Estonian Internet Foundation: at auction, then pending registration by the winner (internetee/registry#874; internetee/whois#152, 2024-02-09)',
  },
  {
    id: 'release_process',
    maxDays: null,
    pattern: /^release[ -]process: |\bin (?:the |a )?release[ -]process\b/,
    source:
      'Registro.br: a deleted name waits for the next release process, in which one of several applicants may get it (jakejarvis/rdapper#20, 2025-10-27)',
  },
];

export function findReleasePeriodIn(sentence: string): ReleasePeriod | null {
  return RELEASE_PERIODS.find(({ pattern }) => pattern.test(sentence)) ?? null;
}

export function getReleasePeriod(id: ReleasePeriod['id']): ReleasePeriod | null {
  return RELEASE_PERIODS.find((period) => period.id === id) ?? null;
}
