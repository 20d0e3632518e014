import { saysNotFoundI18n } from './other-languages.js';

const wordSet = (words: string) => new Set(words.split(/\s+/));

/**
 * Words that may stand before a "not found" phrase. In all word lists of this file, `@` stands for the queried name.
 */
const SUBJECT_WORDS = wordSet(
  `sorry unfortunately but the this that your we above requested request queried query specified given following selected domain
   domains name names domainname object objects entry record key search string whois result response message error info
   information data about for code http status resource resources item items is are was were has have had been does do did currently there it still you a system systems server @`,
);
/** Words that may follow a "not found" phrase without changing the meaning. */
const TAIL_WORDS = wordSet(
  `in the a an our you system systems this that your any at on of for to about as is are was were been has have and or with within by
   matching match matches matched matchingrecord search criteria whois registry register registrar registrars s server database databases db
   data domain domains name names tld zone selected source query queried requested request object objects record
   records entry entries result results found exist exists yet currently information resource available consulted given @`,
);
/** An unknown word beside one of these words is taken for the name of a register, as in `AFNIC database`. */
const REGISTER_WORDS = wordSet('database databases db registry register');
const PREPOSITIONS = wordSet('in to by at with');

const NOT_FOUND_PHRASES: readonly (readonly [id: string, beginnings: readonly string[]])[] = [
  [
    'no_match',
    `no match|no matches|no matching|no entries|no entry|no data|no record|no records|no object|no objects|no information
     |no such domain|no such name|no such object|no such record|no such entry|no domain|no domains|no result|no results
     |no whois data|no whois record|no live registration|no domain registered|no domains registered
     |no whois information|no whois|not have an entry|not have any entry|not have any data|not have any record
     |not have any records|not have any information|not have information|not have data|not have a record
     |no informations`.split(/\s*\|/),
  ],
  [
    'not_found',
    `not found|not be found|not been found|not exist|not exists|not existing|not located|not find|nothing found|none found|no found|no exist
     |unknown|unregistered|nonexistent|non existent|non existing|can not be found|cannot be found|could not be found
     |can not find|cannot find|could not find|not in database|not in the database|not in registry`.split(/\s*\|/),
  ],
  [
    'not_registered',
    `not registered|not registred|not been registered|not yet registered|not yet been registered|not currently registered
     |not a registered|not a registerd|not assigned|not allocated|not been assigned|no registered`.split(/\s*\|/),
  ],
];
/** Phrases such as `available`. They mean "not registered" only if the subject is a name or missing. */
const AVAILABLE_PHRASES =
  `free|available|available for registration|available for purchase|available to register|available to be registered
  |free for registration|free to register|unassigned|vacant|can be registered|open for registration|not taken|not in use`.split(
    /\s*\|/,
  );
const AVAILABLE_SUBJECT_WORDS = wordSet(
  'the this that your above requested queried domain domains name is are currently still it appears seems to be @',
);
const AVAILABLE_TAIL_WORDS = wordSet(
  'yes now yet currently in at by the for registration anyone register with any accredited registrar tld @',
);

/** A sentence with one of these words never counts as "not found". */
const DISQUALIFYING =
  /\b(?:unavailable|(?:not|no longer|un) available (?:for|to)|if|whether|when|timeout|limit|exceeded|invalid|maintenance|again|reserved|blocked|prohibited|supported|permitted|denied|temporarily|due|other|(?:this|that|the|your) (?:zone|tld)|here|(?:with|by) us|(?:this|our) registrar)\b/;
/** Words of "not found" sentences. `doctor --registries` keeps phrases of these words when it masks personal data. */
export const NOT_FOUND_WORDS: ReadonlySet<string> = new Set([
  ...SUBJECT_WORDS,
  ...TAIL_WORDS,
  ...AVAILABLE_SUBJECT_WORDS,
  ...AVAILABLE_TAIL_WORDS,
  ...[...NOT_FOUND_PHRASES.flatMap(([, beginnings]) => beginnings), ...AVAILABLE_PHRASES].flatMap(splitWords),
]);

function splitWords(phrase: string): string[] {
  return phrase.split(' ');
}

/** A sentence that ends with one of these words is incomplete, such as `No match for`. */
const DANGLING_WORDS = wordSet('for in of to the a an on at by with about');

/**
 * Returns the id of a kind of phrase, such as `no_match`, if the sentence says only that the name is not registered.
 * @param sentence see `Sentence.words`
 */
export function matchDenial(sentence: string): string | null {
  const words = sentence.replace(/\brdap\b/g, 'whois');
  if (DISQUALIFYING.test(words)) return null;
  const tokens = words.split(/[\s,:;/*|-]+/).filter((token) => token !== '');
  if (DANGLING_WORDS.has(tokens.at(-1) ?? '')) return null;
  const inEnglish = matchPhrase(tokens) ?? (saysAvailable(tokens) ? 'available' : null);
  if (inEnglish !== null || tokens.includes('@other')) return inEnglish;
  return saysNotFoundI18n(tokens.join(' ')) ? 'not_found' : null;
}

function matchPhrase(tokens: readonly string[]): string | null {
  const start = tokens.findIndex((token) => !SUBJECT_WORDS.has(token) && !/^\d{1,4}$/.test(token));
  if (start < 0) return null;
  const text = tokens.slice(start).join(' ');
  for (const [id, beginnings] of NOT_FOUND_PHRASES) {
    const phrase = beginnings.find((each) => startsWithPhrase(text, each));
    if (phrase === undefined) continue;
    const rest = text.slice(phrase.length).trim();
    if (isNeutralRest(rest) && concernsName({ subject: tokens.slice(0, start), phrase, rest })) return id;
  }
  return null;
}

/** Matches CentralNic's `previous registration D1-CNIC was purged on 2026-11-20T01:03:34.0Z domain not found`. */
const PURGED = /^previous registration \S+(?: \S+)? was purged on [\dtz. ]+ domain not found$/;

/** Whether the words after a "not found" phrase leave its meaning unchanged, such as `in the AFNIC database`. */
function isNeutralRest(rest: string): boolean {
  if (PURGED.test(rest)) return true;
  const tokens = rest === '' ? [] : rest.split(' ');
  const foreign = tokens.flatMap((token, at) => (TAIL_WORDS.has(token) ? [] : [at]));
  if (foreign.length === 0) return true;
  return isRegisterName(tokens, foreign) || matchPhrase(tokens) !== null;
}

/** Matches up to three unknown words that name a register, as in `in the AFNIC database` or `to EXNIC`. */
function isRegisterName(tokens: readonly string[], foreign: readonly number[]): boolean {
  const [first = 0, last = 0] = [foreign[0], foreign.at(-1)];
  if (foreign.length > 3 || last - first !== foreign.length - 1) return false;
  const isBeside = REGISTER_WORDS.has(tokens[last + 1] ?? '') || REGISTER_WORDS.has(tokens[first - 1] ?? '');
  return isBeside || (foreign.length === 1 && isLastAfterPreposition(tokens));
}

function isLastAfterPreposition(tokens: readonly string[]): boolean {
  return PREPOSITIONS.has(tokens.at(-2) ?? '') && !TAIL_WORDS.has(tokens.at(-1) ?? '');
}

function saysAvailable(tokens: readonly string[]): boolean {
  const start = tokens.findIndex(
    (token, at) => !AVAILABLE_SUBJECT_WORDS.has(token) || startsWithAvailable(tokens.slice(at).join(' ')),
  );
  if (start < 0) return false;
  const text = tokens.slice(start).join(' ');
  const phrase = AVAILABLE_PHRASES.filter((each) => startsWithPhrase(text, each)).sort(
    (one, other) => other.length - one.length,
  )[0];
  if (phrase === undefined) return false;
  const rest = text.slice(phrase.length).trim().split(' ');
  const isAboutName = start === 0 || tokens.slice(0, start).some((token) => /^(@|domain|name|it)$/.test(token));
  return isAboutName && rest.every((token) => token === '' || AVAILABLE_TAIL_WORDS.has(token));
}

function startsWithAvailable(text: string): boolean {
  return AVAILABLE_PHRASES.some((grant) => startsWithPhrase(text, grant));
}

function startsWithPhrase(text: string, phrase: string): boolean {
  return text === phrase || text.startsWith(`${phrase} `);
}

/**
 * Whether a status such as `free` or `220 available` says that the name is available. The status must be in lower case.
 */
export function isFreeStatus(status: string): boolean {
  return FREE_STATUS.test(status);
}

const FREE_STATUS =
  /^(?:\d{3} )?(?:free|available|no object found|object not found|not found|not registered|unregistered|not exist|does not exist|no match|available (?:for|to) (?:registration|register)|domain (?:is )?available|libre|disponible|dispon[ií]vel|frei|vrij|ledig|woln[ay]|not assigned|unassigned|свободен|未注册)$/u;

interface Denial {
  /** The words before the phrase. */
  readonly subject: readonly string[];
  readonly phrase: string;
  readonly rest: string;
}

const SERVICE_WORDS =
  'servers?|systems?|whois|tlds?|zones?|registry|registrars?|registrar s|sources?|query|request|requested';
/** Words for a server's database. An answer such as `unknown database` says nothing about a name. */
const REGISTER_NOUNS = 'databases?|db|register|@other';
const SERVICE_SUBJECT = new RegExp(`\\b(?:${SERVICE_WORDS})\\b`);
/** Matches words for a domain name, unless a word for a service follows, as in `Domain server not found`. */
const NAME_SUBJECT = new RegExp(
  `(?:@(?!other)|\\b(?:domain ?names?|domains?|names?))(?!\\w)(?! (?:@ )?(?:names? )?(?:${SERVICE_WORDS}|${REGISTER_NOUNS})\\b)`,
);
/** Words for entries of a register. "No entries" means not found, whatever was searched. */
const ENTRY_WORDS =
  /\b(?:objects?|resources?|items?|entry|entries|records?|match(?:es|ed)?|domains?|registration|key|name)\b/;
const FOUND_WORDS = /\b(?:found|match|matching|matched|matches)\b/;
const BEGINS_WITH_SERVICE = new RegExp(`^(?:${SERVICE_WORDS}|${REGISTER_NOUNS})\\b(?! @)`);
/** Words about the client or the query, as in `You are not registered`. */
const CLIENT_WORDS = /\b(?:you|your|search|response|message)\b/;
/** Matches the end of `nothing found for this query`. */
const SEARCH_PHRASE = /\b(?:for|matching|match) (?:(?:this|the|that|your|given) )?(?:query|request)\b/;
/** Matches phrases which say that the server has or finds nothing, such as `could not find`. */
const ACTIVE_DENIAL = /^(?:no |not (?:have|find)|(?:can ?not|could not) find)/;

/** Whether a "not found" sentence is about a name. A sentence about a server or TLD must also mention a domain name. */
function concernsName({ subject, phrase: beginning, rest }: Denial): boolean {
  const before = subject.join(' ');
  const tail = rest.replace(SEARCH_PHRASE, '');
  const isNamed = NAME_SUBJECT.test(before) || NAME_SUBJECT.test(`${beginning} ${rest}`);
  if (/\b(?:servers?|systems?)\b/.test(before)) return isNamed && ACTIVE_DENIAL.test(beginning);
  if (BEGINS_WITH_SERVICE.test(rest)) return false; // as in `no matching server`
  if (isNamed) return true;
  const all = `${before} ${beginning} ${rest}`;
  if (CLIENT_WORDS.test(before) && !ENTRY_WORDS.test(all)) return false;
  if (/\b(?:tlds?|zones?)\b/.test(all)) return false;
  if (beginning === 'unknown') return /\bobject\b/.test(all);
  if (ENTRY_WORDS.test(all)) return !SERVICE_SUBJECT.test(before) || ENTRY_WORDS.test(before);
  if (SERVICE_SUBJECT.test(`${before} ${tail}`)) return false;
  return !/^no(?:ne|thing)? /.test(beginning) || FOUND_WORDS.test(`${beginning} ${rest}`);
}
