import { findReleasePeriodIn, type ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import { matchDenial } from './denial.js';
import { isReservedI18n, isTakenI18n, isTroubleI18n } from './other-languages.js';
import type { Sentence } from './sentences.js';
import { isContract, isDecoration, isTerms, saysConditionally, statesRateTerms } from './terms.js';

/**
 * The meaning of a registry's sentence. An `id` names the phrase that decided.
 * - About the name: `denied` (no such name), `reserved`, `premium`, `taken`, `released` (deleted, not yet open to all).
 * - About the client or server: `throttled`, `service` (the server refuses or fails), `doubtful` (unreliable data).
 * - About neither: `terms` of use, `decoration` such as headings, and `unknown` if no rule matches.
 */
export type SentenceMeaning =
  | { readonly kind: 'denied' | 'reserved' | 'throttled' | 'service' | 'doubtful'; readonly id: string }
  | { readonly kind: 'released'; readonly period: ReleasePeriod['id'] }
  | { readonly kind: 'premium' | 'taken' | 'terms' | 'decoration' | 'unknown' };

/** A phrase that servers use. The id becomes the end of a rule's id in the evidence, as in `whois.reserved.blocked`. */
type Phrase = readonly [id: string, pattern: RegExp];

/** Phrases by which a server refuses a client that asks too often. */
const THROTTLED: readonly Phrase[] = [
  [
    'limit_exceeded',
    /\b(quota|limits?|ratelimit|allowance|rate)\b.{0,60}\b(exceeded|reached|surpassed|hit)\b|\breached (the |your |its )?(rate|query)[ -]limit\b/,
  ],
  ['limit_exceeded', /\bexceed(ed|s|ing)?\b.{0,60}\b(quota|limits?|allowance|number of|queries|requests|rate)\b/],
  [
    'too_many',
    /\btoo (many|fast|frequent|often|busy|much)\b|^(error )?[\d:, -]*excessive (querying|queries|requests|lookups)$/,
  ],
  [
    'banned',
    /\b(ip|address|client|host|you|network|user)\b.{0,40}\b(blocked|banned|throttled|blacklisted|black-listed)\b/,
  ],
  ['banned', /\btemporarily (blocked|banned|throttled|denied)\b|\bblacklisted\b/],
  ['pace', /\b\d+ (request|quer)\w* per (second|minute|hour)\b.{0,40}\btry\b/],
  [
    'pace',
    /\b(go away|wait|grace period|try again|retry|maintain|come back).{0,60}\b\d+[ -]?(s|sec|second|minute|hour)s?\b/,
  ],
  [
    'pace',
    /\bat least \d+[ -]second|\bslow down\b|\b(been|being|are|were|access) rate[ -]limited\b|^(error )?rate[ -]?limited\b/,
  ],
];

const SERVERS =
  'servers?|services?|systems?|registr(?:y|ies|ars?)|operators?|whois|rdap|databases?|db|instance|host|node|mirror|endpoint|source|we|us|here';
const ZONES =
  'tlds?|cctlds?|gtlds?|zones?|top[ -]level(?: domains?)?|(?:domain )?(?:extensions?|suffix(?:es)?|endings?)|namespaces?';
const NOT = `not|no|never|nothing|none|neither|cannot|unable|without|lacks?|missing|outside|beyond|elsewhere|wrong|(?<!@)(?:an)?other|different|foreign|un(?:supported|served|hosted|managed|known|handled)|out of`;
/** Words by which a server says that it has data about a zone, or is responsible for a zone. */
const HOLDS =
  'holds?|hosts?|hosted|held|serves?|served|serving|supports?|supported|manages?|managed|handles?|handled|have|has|knows?|known|contains?|covers?|covered|maintains?|maintained|answers?|respond(?:s|ing)?|responsible|authoritative|authority|operates?|operated|administ\\w+|provides?|includes?|keeps?|stores?|carry|carries|run|runs|accepts?|delegated|configured|loaded|scope|home|part of|belongs?|data|information|records?|entries';
/** Matches sentences which say that the server does not serve a zone. */
const OTHER_ZONE = new RegExp(`\\b(?:${NOT})\\b.{0,80}\\b(?:${ZONES})\\b|\\b(?:${ZONES})\\b.{0,80}\\b(?:${NOT})\\b`);
const NOT_HERE =
  /\b(?:not|no|never|nothing|cannot|unable|elsewhere|outside|beyond|moved|un(?:supported|served|hosted|managed))\b/;
/** Match sentences which say that the server holds no data, or is not responsible. */
const NOT_SERVED: readonly RegExp[] = [
  new RegExp(
    `\\b(?:${SERVERS}|it)\\b.{0,40}\\b(?:not|never|no longer|nothing|neither|cannot|unable)\\b.{0,30}\\b(?:${HOLDS})\\b`,
  ),
  new RegExp(
    `\\b(?:${HOLDS})\\b.{0,40}\\b(?:by|at|on|with|from) (?:(?:an)?other|a different|the (?:right|correct))\\b`,
  ),
  /\b(?:outside|out of|beyond|not within|not in|not part of)\b.{0,30}\b(?:scope|authority|remit|responsibility|jurisdiction|bailiwick|coverage)\b/,
  /\b(?:not authoritative|not managed by|unsupported|no (?:whois |rdap )?(?:server|service)|not accept queries|not responsible)\b/,
];
/** Matches sentences which say that the server serves only some zones. */
const ONLY_SOME_ZONES = new RegExp(
  `\\b(?:only|solely|exclusively|just|exclusivamente|s[oó]lo|nur|uniquement)\\b.{0,60}\\b(?:${HOLDS}|domains?|names?|dominios|for)\\b|\\b(?:${HOLDS}|contiene)\\b.{0,40}\\b(?:only|solely|exclusively|just|exclusivamente|s[oó]lo)\\b`,
);
/** A sentence with these words and the queried suffix is a banner, such as `contains only .com domains`. */
const CONTAINS = /\b(?:contains?|contiene|information|acepta consultas)\b/;
/** Matches sentences that send the client to another server. */
const REFERRAL =
  /\b(?:ask|query|try|use|consult|contact|check|check with|refer(?:red)? to|redirect(?:ed)? to|go to|see|(?:moved|transferred|migrated|forwarded) to|visit)\b.{0,40}\b(?:(?:an)?other|different|new|correct|right|responsible|authoritative|parent|primary|master|appropriate|relevant|respective|main)\b.{0,20}\b(?:servers?|registry|registrar|operator|service|whois|rdap|source|database)\b|\b(?:ask|query|try|use)\b.{0,12}@other|\b(?:moved|transferred|migrated|forwarded|redirected|referred)\b.{0,20}@other|^(?:please )?(?:refer to|use|ask|query|contact|see|visit|try) (?:the |a |that )?(?:\w+ )?(?:registry|server|whois|rdap)\b/;

/** Words by which a server says that its data may be incomplete or outdated. */
const POOR_DATA =
  /\b(?:secondary|standby|stand-by|fallback|failover|backup|replicas?|replicat\w+|mirror\w*|lag(?:s|ging)?|stale|outdated|out[ -]of[ -]date|obsolete|read[- ]only|rebuil\w+|re-?index\w*|(?:re)?synchroni[sz]\w+|re-?sync\w*|in sync|snapshot|cached?|caching|incomplete\w*|not (?:complete|current|ready|loaded|up to date)|truncated|partial(?:ly)?|degraded|corrupt\w*|restor(?:ed|ing)|recover(?:ed|ing|y)|import(?:ed|ing)|migrat\w+|limited (?:results?|data|information|functionality|mode)|may be missing|delayed|not be (?:complete|current|up to date)|(?:access|queries|answers|service) (?:is |are )?(?:limited|restricted) to (?!\d)(?:\w+ ){0,3}(?:registrars|members|subscribers|customers)|still loading|test (?:system|server|environment|data)|sandbox|staging|demo)\b/;
const TROUBLE =
  /\b(?:lookups|your (?:ip|address|network)|blocked|denied|exceeded|quota|busy|unavailable|failed|banned|wait|refused|rejected|connection|offline|down|unreachable|outage|crashed|maintenance|time-?out|temporar\w*|throttled|reached|overload\w*|try (?:again|later)|be back|malfunction\w*|(?:gateway|proxy|database|db|server|application|unexpected|system|network|dns|tls|ssl|runtime|fatal|parse|processing|backend|service|configuration|lookup|internal) (?:error|exception|failure|problem|fault))\b/;
/** The longest sentence to which `WEAK_TROUBLE` applies. Longer sentences may be terms of use. */
const MAX_REPORT_LENGTH = 100;
const WEAK_TROUBLE =
  /\b(?:restart\w*|reboot\w*|incident|disruption|emergency|broken|fail(?:s|ing|over)|back (?:at|in|on|soon|shortly)|not (?:responding|reachable|working|operational)|backend|upstream|primary|trouble|out of (?:order|service)|under (?:heavy|construction|attack|load)|starting up|shutting down|being (?:updated|loaded|moved|repaired|upgraded)|upgrad(?:e|ing)|in progress|(?:experiencing|technical|some) (?:problems?|difficult(?:y|ies))|unable to|interrupted|switched off|could not be (?:loaded|read|retrieved|processed|completed)|come back|please (?:ask|query)|(?:an)?other (?:registry|operator)|not (?:understood|a valid)|empty query|used up|no longer accepted|login|log in|could not retrieve|no answer|lookup error|invalid pattern)\b/;
const REFUSED: readonly Phrase[] = [
  ['not_permitted', /\b(not (permitted|authori[sz]ed|allowed to (use|query|access))|unauthori[sz]ed|forbidden)\b/],
  [
    'not_permitted',
    /\b(access|permission|request|query|service|connection)( is| was| has been)? (denied|refused|restricted|blocked|rejected)\b/,
  ],
  [
    'service',
    /\b(can ?not|can t|failed|unable|not able|could not)\b.{0,40}\b(process|connect|answer|answered|complete|contact|perform|fulfil|be processed|resolve|reach)\b/,
  ],
  ['service', /\b(connection|lookup|query|request|attempt|search)\b.{0,20}\bfailed\b/],
  [
    'service',
    /\bservice\b.{0,20}\b(unavailable|not available|offline|down|suspended|disabled|closed|retired|discontinued)\b/,
  ],
  ['service', /\b(timed? ?out|internal (server )?error|error (has )?occurred)\b/],
  [
    'query',
    /\b(invalid|malformed|illegal|incorrect|bad|wrong)\b.{0,20}\b(query|request|command|syntax|input|parameter|option|argument|domain name|domain|object)\b|^(invalid|malformed|bad)\b/,
  ],
  ['query', /\b(syntax error|usage:|parameter value|not a valid|is not valid|invalid characters?)\b/],
  ['page', /^(!doctype )?html\b/],
  // The URL was wrong, not the name.
  [
    'page',
    /\b(url|uri|path|page|route|endpoint|handler)\b.{0,40}\b(not found|not exist|unknown)\b|\bno (such )?(route|handler|endpoint)\b/,
  ],
];
/** Matches sentences about a present problem of the server or zone, which terms of use never report. */
const STATE_OF_SERVER = new RegExp(
  `\\b(?:this|the|our|requested|queried)\\b(?: [\\w-]+){0,2} (?:${SERVERS}|${ZONES}|data)\\b.{0,20}\\b(?:is|are|was|were|has been|does|runs)\\b.{0,25}(?:${POOR_DATA.source}|\\b(?:down|offline|unavailable|under maintenance|unsupported)\\b|\\bnot (?:hosted|served|supported|managed|handled|known|operated|maintained|delegated|authoritative|responsible|(?:currently )?available|(?:have|hold|contain|know|host|serve|support|manage) (?:any |the )?(?:data|information|records?|this|that|the requested)))`,
);

const RESERVED: readonly Phrase[] = [
  ['reserved', /^(?!.*\b(?:rights?|names (?:are|is|at)|reserved names? (?:are|at|list))\b).*\b(reserved|withheld)\b/],
  [
    'blocked',
    /(?:@|\b(?:domain|name|label|string)\b).{0,40}\b(blocked|prohibited|banned|forbidden|restricted|ineligible|restrictions)\b/,
  ],
  [
    'blocked',
    /\b(blocked|prohibited|banned|forbidden|restricted) (domain|name|label|string|word)\b|^blocked(?: by\b.*)?$/,
  ],
  [
    'not_registrable',
    /\b(?:can ?not|(?:may|must|will|could|can) not) be (?:registered|delegated)\b|\b(?:not |un)registrable\b|\bunassignable\b/,
  ],
  [
    'not_registrable',
    /\bnot (open|eligible) for registration\b|\b(not |un)available (for|to) (registration|register|purchase)\b|\bregistration\b.{0,40}\bnot (allowed|permitted|possible)\b/,
  ],
  ['not_registrable', /\bnot available or is reserved\b|\bnot allowed\b/],
  ['not_registrable', /\bviolates? (the |our )?(registry )?polic(y|ies)\b/],
  [
    'not_registrable',
    /\bconflicts? with\b.{0,60}\bregistered\b|\busage restrictions\b|\bset aside\b|\bblock ?list\b|\bdpml\b/,
  ],
];
/** Words of terms of use and of sentences about many names. Such sentences do not reserve the queried name. */
const NOT_ABOUT_ONE_NAME = /\b(can be registered|agree|terms|data|information|access|use|server|service)\b/;
const PREMIUM =
  /\bpremium (domain|name)\b|\b(is|as) (a )?premium\b|\bplatinum (domain|name)\b|^premium$|\bearly access (period|program)/;

/** Phrases about a name that is or was registered, is for sale, or can be registered only by some people. */
const TAKEN =
  /\b(?:(?:not|no longer) (?:available|free)|available: no|registered: yes|(?:already|domain) registered$|(?<!\bnot )(?:is|already) registered|registered elsewhere|registered with us|(?:this|our) registrar|expired|redemption|pending ?delete|backorder|auction|for sale|landrush|sunrise|available only|only (?:open )?(?:by|to|for|with|through)|be available soon|not in use but|because of|qualified registrants|(?:registration|name|domain)(?: is| has been)? suspended|(?:subject to|under|in) (?:a )?dispute)\b/;

/** Matches words for the queried name. */
const ONE_NAME =
  /(?<!\w)@(?!other)|\b(?:this|that|requested|queried|your|the) (?:domain|name|label|string)(?: name)?\b(?! (?:system|servers?)\b)/;

export function classifySentence(sentence: Sentence): SentenceMeaning {
  const words = sentence.words
    .replace(/\bmay not be (?=registered|delegated)/g, 'can not be ')
    .replace(/\bnot exceeding\b/g, 'at most');
  if (!/\p{L}/u.test(words)) return { kind: 'decoration' };
  if (sentence.isProse) return classifyProse(words);
  const denial = matchDenial(sentence.words);
  return (
    classifyReport(sentence, words, denial !== null) ??
    (denial === null ? null : { kind: 'denied', id: denial }) ?? { kind: classifyRest(sentence, words) }
  );
}

function classifyProse(words: string): SentenceMeaning {
  const isReport = !isContract(words) && !saysConditionally(words) && STATE_OF_SERVER.test(words);
  return isReport ? { kind: 'service', id: 'state' } : { kind: 'terms' };
}

export function findThrottling(sentences: readonly Sentence[]): readonly [id: string, Sentence] | null {
  for (const sentence of sentences) {
    const id = sentence.isProse ? null : matchThrottling(sentence.words);
    if (id !== null) return [id, sentence];
  }
  return null;
}

function matchThrottling(words: string): string | null {
  const id = findPhrase(THROTTLED, words);
  const isRule = id === null || saysConditionally(words) || statesRateTerms(words);
  return isRule || (isContract(words) && !/\bexceeded\b/.test(words)) ? null : id;
}

function classifyReport({ suffix }: Sentence, words: string, isDenial: boolean): SentenceMeaning | null {
  const limit = matchThrottling(words);
  if (limit !== null) return { kind: 'throttled', id: limit };
  if (OTHER_ZONE.test(words) && !isDenial && !isContract(words)) return { kind: 'service', id: 'other_zone' };
  const period = findReleasePeriodIn(words);
  if (period) return { kind: 'released', period: period.id };
  const reservation = matchReservation(words);
  if (reservation !== null) return { kind: 'reserved', id: reservation };
  return (isContract(words) ? null : classifyTrouble(suffix, words, isDenial)) ?? classifyName(words);
}

function matchReservation(words: string): string | null {
  if (!saysConditionally(words) && isReservedI18n(words)) return 'reserved';
  return NOT_ABOUT_ONE_NAME.test(words) ? null : findPhrase(RESERVED, words);
}

function classifyTrouble(suffix: Sentence['suffix'], words: string, isDenial: boolean): SentenceMeaning | null {
  const isRule = saysConditionally(words) || statesRateTerms(words);
  const refusal = isRule ? null : findPhrase(REFUSED, words);
  if (refusal !== null) return { kind: 'service', id: refusal };
  if (POOR_DATA.test(words)) return { kind: 'doubtful', id: 'data' };
  if (!isRule && reportsTrouble(words)) return { kind: 'doubtful', id: 'trouble' };
  if (isDenial) return null;
  if (REFERRAL.test(words)) return { kind: 'doubtful', id: 'referral' };
  return isNotServed(suffix, words) ? { kind: 'service', id: 'other_zone' } : null;
}

function isNotServed(suffix: Sentence['suffix'], words: string): boolean {
  if (suffix !== null && NOT_HERE.test(words)) return true;
  if (isTerms(words) || saysConditionally(words)) return false;
  if (NOT_SERVED.some((pattern) => pattern.test(words))) return true;
  return ONLY_SOME_ZONES.test(words) && !(suffix === 'own' && CONTAINS.test(words));
}

function reportsTrouble(words: string): boolean {
  return TROUBLE.test(words) || isTroubleI18n(words) || (words.length <= MAX_REPORT_LENGTH && WEAK_TROUBLE.test(words));
}

function classifyName(words: string): SentenceMeaning | null {
  if (saysConditionally(words)) return null;
  if (PREMIUM.test(words)) return { kind: 'premium' };
  return TAKEN.test(words) || isTakenI18n(words) ? { kind: 'taken' } : null;
}

function classifyRest(sentence: Sentence, words: string): 'terms' | 'decoration' | 'unknown' {
  const { suffix } = sentence;
  if (isTerms(words) || statesRateTerms(words)) return 'terms';
  if (saysConditionally(words) && !ONE_NAME.test(words)) return 'terms';
  if (suffix === 'own' && ONLY_SOME_ZONES.test(words)) return 'decoration';
  return isDecoration(sentence) ? 'decoration' : 'unknown';
}

function findPhrase(phrases: readonly Phrase[], words: string): string | null {
  return phrases.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

export interface Reading {
  readonly sentence: Sentence;
  readonly meaning: SentenceMeaning;
}

/** Finds the first of `kinds` that any sentence has, and returns the first sentence of that kind. */
export function findReading(
  readings: readonly Reading[],
  ...kinds: readonly SentenceMeaning['kind'][]
): Reading | null {
  for (const kind of kinds) {
    const found = readings.find(({ meaning }) => meaning.kind === kind);
    if (found) return found;
  }
  return null;
}

/** A sentence with one of these meanings overrules a "not found" in the same answer. */
export const DOUBTS = ['throttled', 'service', 'doubtful', 'taken', 'unknown'] as const;
