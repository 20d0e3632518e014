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

/** Folds any spelling of an EPP status; what EPP does not know is kept, lower-cased. */
export function eppStatus(spelling: string): EppStatus {
  const words = spelling.replace(/\(?https?:\/\/\S*/gi, '').trim();
  return BY_KEY.get(keyOf(words)) ?? words.toLowerCase();
}

function keyOf(words: string): string {
  return words.toLowerCase().replace(/[\s_-]/g, '');
}
