/** An EPP status as RFC 8056 spells it, in lower case with spaces, such as `pending delete`. */
export type EppStatus = string;

const STATUS_BY_KEY = new Map<string, EppStatus>(
  [
    'add period',
    'auto renew period',
    'client delete prohibited',
    'client hold',
    'client renew prohibited',
    'client transfer prohibited',
    'client update prohibited',
    'inactive',
    'pending create',
    'pending delete',
    'pending renew',
    'pending restore',
    'pending transfer',
    'pending update',
    'redemption period',
    'renew period',
    'server delete prohibited',
    'server hold',
    'server renew prohibited',
    'server transfer prohibited',
    'server update prohibited',
    'transfer period',
    'active',
    'associated',
  ].map((status) => [toKey(status), status]),
);
/** RFC 8056 §2 renames two statuses: EPP `ok` is RDAP `active`, EPP `linked` is RDAP `associated`. */
STATUS_BY_KEY.set('ok', 'active').set('linked', 'associated');

/** Several registries' own spellings of the periods of RFC 3915. */
const PERIOD_SPELLINGS: readonly (readonly [EppStatus, string])[] = [
  ['auto renew period', 'autorenewgrace autorenewgraceperiod'],
  ['redemption period', 'redemption redemptiongraceperiod pendingdeleterestorable'],
  // `tobedeleted` (registry software FRED, for .cz and others) and `deletecandidate` (.ee, internetee/registry#812)
  // mean a deletion within a day.
  ['pending delete', 'pendingdeletion pendingdeletescheduledforrelease pendingpurge tobedeleted deletecandidate'],
];
for (const [status, spellings] of PERIOD_SPELLINGS)
  for (const key of spellings.split(' ')) STATUS_BY_KEY.set(key, status);

/** Nearly all RDAP servers use these spellings, which need no normalization. */
const CANONICAL: ReadonlySet<string> = new Set(STATUS_BY_KEY.values());

/** Whether a normalized status belongs to EPP and not to a single registry. */
export function isEppStatus(status: EppStatus): boolean {
  return CANONICAL.has(status);
}

/**
 * Accepts any spelling, even only the link that registries add to a status (`https://icann.org/epp#clientHold`).
 * Returns a status outside EPP in lower case.
 */
export function normalizeEppStatus(spelling: string): EppStatus {
  if (CANONICAL.has(spelling)) return spelling;
  const words = spelling.replace(ICANN_LINK, '').trim() || (ICANN_LINK.exec(spelling)?.[1] ?? '');
  return STATUS_BY_KEY.get(toKey(words)) ?? words.toLowerCase();
}

/** Normalizes a status of a WHOIS server, which may leave out `client` or `server`, as in `hold`. */
export function normalizeWhoisStatus(spelling: string): EppStatus {
  const status = normalizeEppStatus(spelling);
  return WHOIS_SHORTHANDS.get(toKey(status)) ?? status;
}

const WHOIS_SHORTHANDS: ReadonlyMap<string, EppStatus> = new Map([
  ['hold', 'server hold'],
  ...['delete', 'transfer', 'update', 'renew'].map(
    (command) => [`${command}prohibited`, `server ${command} prohibited`] as const,
  ),
]);

const ICANN_LINK = /\(?https?:\/\/[^\s#]*(?:#([\w-]*))?\S*/i;

function toKey(words: string): string {
  return words.toLowerCase().replace(/[\s_-]/g, '');
}
