/** The parts of a "not found" sentence. */
export interface Denial {
  /** The words before the phrase. */
  readonly subject: readonly string[];
  readonly phrase: string;
  /** The words after the phrase. */
  readonly rest: string;
}

const SERVICE_WORDS =
  'servers?|systems?|whois|tlds?|zones?|registry|registrars?|registrar s|sources?|query|request|requested';
/** "Not found in the database" is about a name, "unknown database" is not. */
const REGISTER_WORDS = 'databases?|db|register|@other';
const SERVICE_SUBJECT = new RegExp(`\\b(?:${SERVICE_WORDS})\\b`);
/** `Domain server not found`: these words name a domain only if no noun of a service follows. */
const NAME_SUBJECT = new RegExp(
  `(?:@(?!other)|\\b(?:domain ?names?|domains?|names?))(?!\\w)(?! (?:@ )?(?:names? )?(?:${SERVICE_WORDS}|${REGISTER_WORDS})\\b)`,
);
/** Entries of a register: "no entries" means not found, whatever was searched. */
const ENTRY_WORDS = /\b(?:objects?|entry|entries|records?|match(?:es|ed)?|domains?|registration|key|name)\b/;
const FOUND_WORDS = /\b(?:found|match|matching|matched|matches)\b/;
const BEGINS_WITH_SERVICE = new RegExp(`^(?:${SERVICE_WORDS}|${REGISTER_WORDS})\\b(?! @)`);
/** `You are not registered`: about the client or its query. */
const CLIENT_WORDS = /\b(?:you|your|search|response|message)\b/;
/** `nothing found for this query` */
const SEARCH_PHRASE = /\b(?:for|matching|match) (?:(?:this|the|that|your|given) )?(?:query|request)\b/;
/** The register has nothing, as against something that does not exist. */
const ACTIVE_DENIAL = /^(?:no |not (?:have|find)|(?:can ?not|could not) find)/;

/**
 * Whether a "not found" sentence is about a name. The same phrase about the server, the query or a whole TLD
 * ("Server not found", "Unknown database", "No whois information is available for this TLD") is no absence, so a
 * sentence that mentions those must mention the name as well.
 */
export function concernsName({ subject, phrase: beginning, rest }: Denial): boolean {
  const before = subject.join(' ');
  const tail = rest.replace(SEARCH_PHRASE, '');
  const isNamed = NAME_SUBJECT.test(before) || NAME_SUBJECT.test(`${beginning} ${rest}`);
  if (/\b(?:servers?|systems?)\b/.test(before)) return isNamed && ACTIVE_DENIAL.test(beginning);
  if (BEGINS_WITH_SERVICE.test(rest)) return false; // `no matching | server`
  if (isNamed) return true;
  const all = `${before} ${beginning} ${rest}`;
  if (CLIENT_WORDS.test(before) && !ENTRY_WORDS.test(all)) return false;
  if (/\b(?:tlds?|zones?)\b/.test(all)) return false;
  if (beginning === 'unknown') return /\bobject\b/.test(all);
  if (ENTRY_WORDS.test(all)) return !SERVICE_SUBJECT.test(before) || ENTRY_WORDS.test(before);
  if (SERVICE_SUBJECT.test(`${before} ${tail}`)) return false;
  return !/^no(?:ne|thing)? /.test(beginning) || FOUND_WORDS.test(`${beginning} ${rest}`);
}
