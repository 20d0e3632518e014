/** A sentence that denies something, taken apart. */
export interface Denial {
  /** What stands before the denial. */
  readonly subject: readonly string[];
  readonly beginning: string;
  /** What follows it. */
  readonly rest: string;
}

const SERVICE =
  'servers?|systems?|whois|tlds?|zones?|registry|registrars?|registrar s|sources?|query|request|requested';
/** In a register names are found; "not found in the database" is said of one, "unknown database" is not. */
const REGISTER = 'databases?|db|register|@other';
const OF_SERVICE = new RegExp(`\\b(?:${SERVICE})\\b`);
/** `Domain server not found`: these words name a domain only where they are not another noun's. */
const NAMED = new RegExp(
  `(?:@(?!other)|\\b(?:domain ?names?|domains?|names?))(?!\\w)(?! (?:@ )?(?:names? )?(?:${SERVICE}|${REGISTER})\\b)`,
);
/** What a register has of names; "no entries" are none whatever they were looked for in. */
const ENTRIES = /\b(?:objects?|entry|entries|records?|match(?:es|ed)?|domains?|registration|key|name)\b/;
const FOUND = /\b(?:found|match|matching|matched|matches)\b/;
const BEGINS_WITH_SERVICE = new RegExp(`^(?:${SERVICE}|${REGISTER})\\b(?! @)`);
/** `You are not registered`: we, or what we asked. */
const OF_US = /\b(?:you|your|search|response|message)\b/;
/** `nothing found for this query` */
const SEARCH = /\b(?:for|matching|match) (?:(?:this|the|that|your|given) )?(?:query|request)\b/;
/** Somebody looked and has nothing, as against somebody who is not there. */
const ACTIVE = /^(?:no |not (?:have|find)|(?:can ?not|could not) find)/;

/**
 * A registry denies that a name is in its register. What sounds the same said of itself, of its query or of a whole TLD
 * ("Server not found", "Unknown database", "No whois information is available for this TLD") is no absence, so that
 * where such a thing is spoken of, the name must be as well.
 */
export function isSaidOfAName({ subject, beginning, rest }: Denial): boolean {
  const before = subject.join(' ');
  const tail = rest.replace(SEARCH, '');
  const isNamed = NAMED.test(before) || NAMED.test(`${beginning} ${rest}`);
  if (/\b(?:servers?|systems?)\b/.test(before)) return isNamed && ACTIVE.test(beginning);
  if (BEGINS_WITH_SERVICE.test(rest)) return false; // `no matching | server`
  if (isNamed) return true;
  const all = `${before} ${beginning} ${rest}`;
  if (OF_US.test(before) && !ENTRIES.test(all)) return false;
  if (/\b(?:tlds?|zones?)\b/.test(all)) return false;
  if (beginning === 'unknown') return /\bobject\b/.test(all);
  if (ENTRIES.test(all)) return !OF_SERVICE.test(before) || ENTRIES.test(before);
  if (OF_SERVICE.test(`${before} ${tail}`)) return false;
  return !/^no(?:ne|thing)? /.test(beginning) || FOUND.test(`${beginning} ${rest}`);
}
