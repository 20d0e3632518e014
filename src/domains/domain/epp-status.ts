/**
 * EPP statuses in one spelling: the RDAP one of RFC 8056, lower case with spaces. `pendingDelete`, `pending delete`
 * and WHOIS's `pendingDelete https://icann.org/epp#pendingDelete` are the same status.
 */
export type EppStatus = string;

const BY_KEY = new Map<string, EppStatus>(
  [
    ...['add period', 'auto renew period', 'client delete prohibited', 'client hold', 'client renew prohibited'],
    ...['client transfer prohibited', 'client update prohibited', 'inactive', 'pending create', 'pending delete'],
    ...['pending renew', 'pending restore', 'pending transfer', 'pending update', 'redemption period', 'renew period'],
    ...['server delete prohibited', 'server hold', 'server renew prohibited', 'server transfer prohibited'],
    ...['server update prohibited', 'transfer period', 'active', 'associated'],
  ].map((status) => [keyOf(status), status]),
);
/** RFC 8056 §2 renames two: EPP `ok` is RDAP `active`, EPP `linked` is RDAP `associated`. */
BY_KEY.set('ok', 'active').set('linked', 'associated');

/** Spellings of RFC 3915's periods beyond EPP's own, seen at several registries. */
const PERIODS: readonly (readonly [EppStatus, string])[] = [
  ['auto renew period', 'autorenewgrace autorenewgraceperiod'],
  ['redemption period', 'redemption redemptiongraceperiod pendingdeleterestorable'],
  ['pending delete', 'pendingdeletion pendingdeletescheduledforrelease pendingpurge'],
];
for (const [status, spellings] of PERIODS) for (const key of spellings.split(' ')) BY_KEY.set(key, status);

/** As nearly all RDAP servers spell them, so that there is nothing to be folded. */
const FOLDED: ReadonlySet<string> = new Set(BY_KEY.values());

/** Folds any spelling of an EPP status, its address at ICANN alone included; what EPP does not know is lower-cased. */
export function eppStatus(spelling: string): EppStatus {
  if (FOLDED.has(spelling)) return spelling;
  const words = spelling.replace(LINK, '').trim() || (LINK.exec(spelling)?.[1] ?? '');
  return BY_KEY.get(keyOf(words)) ?? words.toLowerCase();
}

const LINK = /\(?https?:\/\/[^\s#]*(?:#([\w-]*))?\S*/i;

function keyOf(words: string): string {
  return words.toLowerCase().replace(/[\s_-]/g, '');
}
