import type { Sentence } from './sentences.js';

/*
 * This file recognizes sentences that are not about the queried name, such as terms of use. Callers pass lower-case
 * words.
 */

const CONDITION =
  /\b(?:if|when|whenever|once|unless|should|shall|may|might|could|must|would|ll|do not|where(?:ver)?|provided that|in case)\b|^si |\bdebe\b/;

/** Whether a sentence says only that something may happen. */
export function saysConditionally(words: string): boolean {
  return CONDITION.test(words.replace(/\bcould not\b/g, 'failed to'));
}

const anyOf = (list: string) =>
  new RegExp(`(?<![\\p{L}\\d])(?:${list.trim().replace(/\s*\|\s*/g, '|')})(?![\\p{L}\\d])`, 'u');

/** Words of contracts. A sentence with such a word reports no trouble of the server; a limit only with `exceeded`. */
const CONTRACT_WORDS = anyOf(
  `agree\\w* | abide | acknowledge\\w* | undertak\\w+ | liab(?:le|ility|ilities) | warrant(?:y|ies|ed|s) | guarant\\w+ | as[ -]is | accuracy | damages? | indemni\\w+
   | good faith | lawful\\w* | unlawful | purposes? | unsolicited | solicitations? | advertis\\w+ | marketing | spam | commercial\\w* | harvest\\w* | data mining
   | high[ -]volume | automated | prosecut\\w+ | penal\\w* | infring\\w+ | copyrights? | intellectual property | redistribut\\w+ | reproduc\\w+ | compil\\w+
   | repackag\\w+ | disseminat\\w+ | recompil\\w+ | re-utili\\w+ | privacy | personal (?:data|information) | data protection | gdpr | sole discretion | without limitation
   | (?:in )?compliance | redacted | reserves? the right | competing registrars | government\\w* | we (?:process|collect|log|store|record|use) | by (?:submitting|using|querying|accessing|executing|maintaining)
   | c \\d{4}[\\d –-]*`,
);
/** Words of terms of use that a report about a name may also contain. */
const TERMS_WORDS = anyOf(
  `subject to | governed by | in accordance with | compl(?:y|iance|ies) | bound by | entitled | terms | conditions | policy | policies | disclaimers? | notice | legal\\w*
   | laws? | regulations? | acts? | provisions | rules | licen[cs]e\\w* | rights | trademarks? | responsibility | inaccura\\w+ | prohibited | forbidden | permitted
   | permission | abus\\w+ | misuse\\w* | bulk | robots? | scrap\\w+ | reus\\w+ | publish\\w* | disclos\\w+ | redact\\w* | confidential\\w* | registrants? | accredited
   | sponsor\\w* | holders? | authori[sz]ed | intended | indicative | direct match | characters | can be performed | restrictions | provided (?:for|by|as|to|solely|free)
   | interzis\\w* | scopuri | par[aá]metros | verifica | busca en | muestra este | can be registered | operational profile | informational | condiciones | t[eé]rminos | derechos | publicidad | datos personales | prop[oó]sito | nutzungsbedingungen | mentions l[eé]gales
   | titre informatif | conditions g[eé]n[eé]rales | droits | voorwaarden | villkor`,
);

/** Words of terms of use in languages without spaces. */
const TERMS_UNSPACED =
  /サービスです|ドメイン名$|参照|利用規約|ドメイン名に関する情報|权利|版权|著作権|바랍니다|등록대행자|신청|인코딩/;

export function isContract(words: string): boolean {
  return CONTRACT_WORDS.test(words);
}

/** Whether a text has at least two words of contracts. A sentence about a name may have one such word. */
export function isLegalText(text: string): boolean {
  return (text.match(new RegExp(CONTRACT_WORDS, 'gu')) ?? []).length > 1;
}

export function isTerms(words: string): boolean {
  return CONTRACT_WORDS.test(words) || TERMS_WORDS.test(words) || TERMS_UNSPACED.test(words);
}

const QUERIES = '(?:quer(?:y|ies)|requests?|lookups?|look-ups|connections?|searches|calls)';
const CLIENTS = '(?:clients?|users|hosts|(?:ip )?addresses|ips|those|anyone|everyone|crawlers|bots|parties|networks)';
const RATE_TERMS: readonly RegExp[] = [
  new RegExp(`^(?:blocked|banned|throttled) ${CLIENTS}\\b`),
  // Matches "rate limits apply", "the number of queries is limited" and "throttling is in effect".
  /\brate[- ]limits? (?:apply|applies|are)\b|\bwe rate[- ]limit\b|\bnumber of (?:queries|requests)\b.{0,20}\bis limited\b|\bthrottling\b.{0,15}\b(?:in effect|appl\w+|in place)\b/,
  // Matches "access is rate limited" and "our service is limited to 10 queries a minute".
  /\b(?:access|use|usage|quer(?:y|ies)|requests|service|lookups|whois|rdap|server|clients|users)\b.{0,40}\b(?:is|are) (?:rate[- ]?limited|(?:limited|restricted|throttled|capped) (?:to|at|by)|monitored|logged|metered)\b/,
  // Matches "the limit is 10 queries a minute" and "a maximum of 10 queries".
  /\b(?:limit\w*|quota|allowance|maximum|max|at most|up to|no more than)\b.{0,40}(?:\d|\bone\b)/,
  new RegExp(`\\d+ ${QUERIES} (?:per|an?|each|every|in|within|/)\\b`),
  // Matches "clients that exceed the limit".
  new RegExp(
    `\\b(?:${CLIENTS}|${QUERIES})\\b (?:that|who|which|exceeding|from which|over|above|beyond|sending|making|issuing|with)\\b`,
  ),
  new RegExp(
    `\\b(?:excessive|abusive|repeated|offending|violating|such|too many|frequent|exceeding)\\b.{0,40}\\b(?:is|are|will be|gets?|results? in|leads? to|causes?)\\b`,
  ),
  /\b(?:exceeding|exceeds|going over|violating)\b.{0,60}\b(?:is|are|will|gets?|results? in|leads? to|causes?)\b/,
  /\b(?:will|can) (?:be|get) (?:blocked|throttled|limited|denied|refused|rejected|banned|prosecuted|logged|terminated|blacklisted|dropped|delayed|suspended)\b/,
  /^(?:(?:our|the|your|a|about|note on|notice|on|whois|rdap|query|request|access|service|api|fair|daily|hourly|usage) )*(?:rate|usage|query|access|request)[ -]?limit(?:s|ing|ation)?(?: (?:notice|policy|information|info|apply|applies|details|rules|statement|in (?:use|force|effect|place)))*$/,
];
/** Matches reports that a limit was reached, as opposed to rules such as `queries are limited`. */
const LIMIT_MET =
  /\b(?:limit|quota|allowance|number|rate)s? (?:is |was |are )?(?:exceeded|reached|surpassed|hit|used up)\b|\b(?:ha[sd]|have) been\b|\b(?:try|wait|slow down|replenish\w*|your|you (?:are|have|were))\b/;

export function statesRateTerms(words: string): boolean {
  return !LIMIT_MET.test(words) && RATE_TERMS.some((pattern) => pattern.test(words));
}

const URL = /https?:\S*|\bwww\.\S+|\S+@[\w.-]+|@other(?:\/\S*)?/g;
/** Matches pointers to further information. */
const POINTER =
  /\b(?:for (?:more|further|additional|detailed|other)|more (?:information|details)|(?:additional|further|detailed) information|please (?:visit|see|contact|refer)|see|visit|go to|browse|contact|consult(?:e|a)?|available (?:at|via|from|on)|found (?:at|on|in)|refer to|web(?:site| site| interface| page)|help(?:desk)?|support|faq|questions|feedback|complaints?|documentation|register (?:it|this|your|now)|dirigirse|comunicarse|correo|voir|siehe)\b/;
const POINTER_ALONE = /^for (?:help|ip address information)\b|\b(?:more|additional|further|detailed) information\b/;
/** Matches times, versions and encodings, as in `last update of the database: 2026-11-20`. */
const STAMP =
  /\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\b\d{1,2}[-/. ](?:\d{1,2}|[a-z]{3})[-/. ]\d{4}|\b\d{1,2}:\d\d:\d\d\b|\bv(?:er(?:sion)?)?\.? ?:?\s?\d|\b\d+\.\d+\b|\b(?:version|utf-?8|ascii|latin|encoding|encoded|charset|date format|format)\b/;
const BANNER_WORDS = new Set(
  `the a an of for to in on at by and or with from via about is are was as this these that our your you we it its welcome hello
   whois rdap server servers service services database databases db data information info registry registries registrar registrars registration
   registrations domain domains name names internet network nic cctld gtld idn top level tld country code query queries request requests search
   searching lookup look-up lookups result results response answer output record records object objects end start begin of last update updated on made
   date time datetime generated timestamp session logged provided operated maintained official public ready title status statuses codes code epp
   description definitions glossary note notes notice important copyright information authority center centre foundation ltd inc gmbh version english
   powered printed using standard port tool form complaint icann web interface url link page online facility client script types type
   above below following listed list shown display displayed use usage help please visit see more terms conditions policy rdds rdp http https 404 error
   registrant contact contacts technical administrative abuse email phone rate limit
   servidor de del el la los las du le les registre informacion información centro red dominios dominio consulta serving served
   has been being serviced registered under all encoding encoded net ip nota without quotes option obtain delay
   printout printed protocol over korean authoritative address`.split(/\s+/),
);
/** No heading or banner contains these words. */
const CLAUSE_WORDS =
  /\b(?:not|no|nor|never|only|but|because|due|cannot|can|wrong|other|another|different|foreign|old|former|new|invalid|unknown|missing|closed|private|internal|limited|reduced)\b/;
/** How many unknown words a banner may contain. Names of registries are unknown words. */
const MAX_PROPER_NAMES = 3;

/** Whether a sentence is a heading, a banner, a pointer to more information, or states the time of the data. */
export function isDecoration({ text, words, suffix }: Sentence): boolean {
  const plain = words.replace(URL, ' ');
  const foreign = plain.split(/[^\p{L}\d-]+/u).filter((word) => isForeign(word));
  if (foreign.length === 0) return true;
  const hasUrl = plain !== words;
  if (hasUrl ? POINTER.test(words) : POINTER_ALONE.test(words)) return true;
  if (CLAUSE_WORDS.test(plain) || foreign.length > MAX_PROPER_NAMES) return false;
  const isBanner = suffix === 'own' || STAMP.test(words) || /\b(?:whois|whoisd|nic|registry|https?:|www\.)/.test(words);
  return isBanner && foreign.every((word) => isProperName(word, text));
}

function isForeign(word: string): boolean {
  return /^\p{L}[\p{L}-]*$/u.test(word) && !BANNER_WORDS.has(word) && !SHORT.test(word) && !PROGRAM.test(word);
}

/** Matches the names of programs such as `swhoisd` and `JWhoisServer`. */
const PROGRAM = /whois/;
/** Words of one or two letters are country codes or parts of ASCII art, not names of registries. */
const SHORT = /^(?!no$)\p{Script=Latin}{1,2}$/u;

/** Whether a word is capitalized in a text that is not all in capitals. */
function isProperName(word: string, text: string): boolean {
  const at = text.toLowerCase().indexOf(word);
  return /\p{Ll}/u.test(text) && /\p{Lu}/u.test(text.charAt(at));
}
