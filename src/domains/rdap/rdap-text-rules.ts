import type { DomainName } from '../domain/name/domain-name.js';
import { RELEASE_PERIODS, type ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import { type Json, toList, member, toText } from './rdap-json.js';
import {
  isReservedPhrase,
  impliesTaken,
  reportsError,
  ACCESS_DENIED,
  NOT_REGISTRABLE,
} from '../answer-text/error-phrases.js';
import { isPrintableAscii } from '../answer-text/printable.js';
import { saysNotFoundI18n } from '../answer-text/not-found-phrases.i18n.js';

/**
 * What the text of a response says beside its status code: rate limit exceeded, not a usable answer, reserved,
 * premium, or in a release period.
 */
export type ErrorTextMeaning = 'throttled' | 'refused' | 'reserved' | 'premium' | ReleasePeriod['id'];

/** Titles of notices that come with every response; they state general terms, with rare exceptions. */
const BOILERPLATE_TITLE =
  /terms|conditions|copyright|disclaimer|policy|privacy|redact|status codes|inaccuracy|complaint|about/;
/** Legal words without a title; one of them may be about a name, two are general terms. */
const LEGAL_WORDS =
  /\b(agree|lawful|purposes|guarantee|warrant(?:y|ies)|liab(?:le|ility)|as is|unsolicited|redistribut\w+|compilation)\b/g;
/** Text about one name is short; longer text is general terms. */
const MAX_STATEMENT_LENGTH = 1_000;

const LIMIT_EXCEEDED = [
  /\b(quota|limits?|allowance)\b.{0,60}\b(exceeded|reached|surpassed)\b/,
  /\bexceeded\b.{0,60}\b(quota|limits?|allowance|number of|queries|requests)\b/,
  /\btoo many (requests|queries|connections|attempts|lookups)\b/,
  /\b(ip|address|client|you)\b.{0,40}\b(blocked|banned|throttled)\b|\btemporarily (blocked|banned)\b/,
];
/** No text exceeds a limit without one of these. */
const LIMIT_WORDS = /exceeded|reached|surpassed|many|blocked|banned|throttled/;
const REFUSED = [
  /\b(not (supported|authoritative|served|managed)|unsupported|unknown (tld|top-level|zone|registry))\b/,
  /\b(no (rdap )?(service|server)|invalid|malformed|bad request|unauthori[sz]ed|forbidden)\b/,
  ACCESS_DENIED,
  /\b(maintenance|temporar(y|ily)|time[d -]?out|try again|internal (server )?error|error (has )?occurred)\b/,
  /\bservice (is )?(currently )?(unavailable|not available)\b/,
  // The URL was wrong, not the name.
  /\b(url|uri|path|page|route|endpoint|handler)\b.{0,40}\b(not found|not exist|unknown)\b|\bno (such )?(route|handler|endpoint)\b/,
];
const RESERVED = [
  /\b(reserved|blocked|withheld|prohibited|restricted|banned|ineligible)\b/,
  /\b(?:can ?not|(?:may|must|will|could|can) not) be registered\b|\b(?:not |un)registrable\b/,
  NOT_REGISTRABLE,
];
const PREMIUM = [/\bpremium\b/, /\bearly access (period|program)/];
const TEXT_RULES: readonly (readonly [ErrorTextMeaning, readonly RegExp[]])[] = [
  ['throttled', LIMIT_EXCEEDED],
  ['refused', REFUSED],
  ...RELEASE_PERIODS.map(({ id, pattern: words }) => [id, [words]] as const),
  ['reserved', RESERVED],
  ['premium', PREMIUM],
];

/**
 * Classifies the text of an error response: its title and description, notices and remarks. Rate limits come first:
 * "not available, query limit exceeded" says nothing about the name. Null when no rule matches.
 */
export function classifyErrorText(json: Json, name: DomainName): ErrorTextMeaning | null {
  const texts = [noticeText(json), ...noticeTexts(json, 'notices'), ...noticeTexts(json, 'remarks')];
  const normalized = texts.map((statement) => normalizeForRules(statement, name));
  const match = TEXT_RULES.find(([, patterns]) =>
    normalized.some((text) => patterns.some((pattern) => pattern.test(text))),
  );
  if (match) return match[0];
  const [ownSentences = [], ...others] = normalized.map(splitSentences);
  const sentences = [...ownSentences, ...others.flat()];
  if (sentences.some(isReservedPhrase)) return 'reserved';
  // Unknown text of the registry's own could mean anything.
  if (ownSentences.length > 0 && !ownSentences.some(deniesExistence)) return 'refused';
  return sentences.some(
    (each) => reportsError(each) || impliesTaken(each) || TAKEN_PHRASE.test(each) || !mayConcernName(each),
  )
    ? 'refused'
    : null;
}

const TAKEN_PHRASE = /(?<!\bnot )\b(?:is|already) registered\b/;

/**
 * True when a notice in a record says that our quota is used up (seen with data still following). Conditional text
 * ("if the limit is exceeded …") does not count.
 */
export function reportsLimitExceeded(record: Json): boolean {
  if (!toList(member(record, 'notices')).some((notice) => LIMIT_WORDS.test(noticeText(notice)))) return false;
  return noticeTexts(record, 'notices')
    .filter((statement) => !BOILERPLATE_TITLE.test(statement.split('. ')[0] ?? ''))
    .filter((statement) => !/\b(if|when|whenever|once|should|may|might|users who)\b/.test(statement))
    .some((statement) => LIMIT_EXCEEDED.some((pattern) => pattern.test(statement)));
}

/** True when a remark about the object says that it is reserved. */
export function hasReservationRemark(record: Json, name: DomainName): boolean {
  const remarks = noticeTexts(record, 'remarks').map((statement) => normalizeForRules(statement, name));
  return remarks.some((text) => RESERVED.some((pattern) => pattern.test(text)));
}

/**
 * The texts of notices or remarks (RFC 9083 §4.3) without general terms: long and legal texts are reduced to their
 * titles, and below a title of terms only specific sentences are kept. A title alone decides nothing: "Reserved by
 * registry policy" is a title too.
 */
function noticeTexts(json: Json, memberName: 'notices' | 'remarks'): string[] {
  return toList(member(json, memberName)).flatMap((notice) => {
    const statement = noticeText(notice);
    if (statement.length > MAX_STATEMENT_LENGTH || (statement.match(LEGAL_WORDS) ?? []).length > 1)
      return [noticeTitle(notice)];
    return BOILERPLATE_TITLE.test(noticeTitle(notice)) ? [withoutGeneralTerms(notice)] : [statement];
  });
}

function withoutGeneralTerms(notice: Json): string {
  const lines = toList(member(notice, 'description')).map(visibleText);
  const sentences = splitSentences(joinWrappedLines(lines).toLowerCase()).filter(
    (sentence) => !isGeneralTerms(sentence),
  );
  return [noticeTitle(notice), ...sentences].join('. ');
}

/** Norid wraps its terms into narrow lines, one list member each; half a sentence could be misread. */
function joinWrappedLines(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/(?<=[\p{L},])\n(?=\p{Ll})/gu, ' ')
    .replaceAll('\n', '. ');
}

function splitSentences(statement: string): string[] {
  return statement.split(/(?<=[^\s.])[.!?;:]+(?:\s+|$)/).filter((sentence) => /[\p{L}\d]/u.test(sentence));
}

function noticeTitle(notice: Json): string {
  return visibleText(member(notice, 'title')).toLowerCase();
}

/** Title and description lines; some registries write the description without its list. */
function noticeText(notice: Json): string {
  const lines = [member(notice, 'title'), ...toList(member(notice, 'description'))];
  return lines.map(visibleText).join('. ').toLowerCase();
}

/** Invisible characters must not hide a word that overrules an absence. */
function visibleText(value: Json): string {
  return toText(typeof value === 'string' && !isPrintableAscii(value) ? value.replace(/\p{Cf}+/gu, '') : value);
}

/** Masks the name (`premium.example not found` is not about a price) and drops "all rights reserved". */
function normalizeForRules(statement: string, name: DomainName): string {
  return statement
    .replaceAll(name.ascii, '@')
    .replaceAll(name.unicode, '@')
    .replaceAll('_', ' ')
    .replace(/\b(all )?rights (are )?reserved\b/g, '');
}

const wordSet = (words: string) => new Set(words.split(/\s+/));

const CONDITIONAL =
  /\b(?:if|when|whenever|once|unless|should|must|might|could|shall|agree|may(?! not be registered)|by (?:using|accessing|submitting|querying)|subject to|governed by|in accordance with|provided (?:for|by|as|to)|for more information|we (?:process|collect|log|store|limit|reserve|use|may))\b/;
const ONE_NAME_SUBJECT =
  /@|\b(?:this|that|requested|queried|your|the) (?:domain|name|label|string)(?: name)?\b(?! (?:system|servers?)\b)/;
/** Words about many names, or about the use of data. */
const MANY_NAMES_SUBJECT =
  /\b(?:names|domains|labels|strings|codes|data|information|access|use|usage|users|quer(?:y|ies)|requests)\b|https?:|\bwww\./;
const RESERVED_SUBJECT =
  /^(?:domain|name|label|string|reserved|blocked|restricted|withheld|not available|unavailable)\b/;
/** Words that report an event, unlike general terms. */
const EVENT_WORDS = /\b(?:exceeded|denied|refused|failed|offline|busy|down|unavailable|banned|too many|timed? ?out)\b/;

/** Whether a sentence states general terms: a condition, or something about names and data in general. */
function isGeneralTerms(sentence: string): boolean {
  if (CONDITIONAL.test(sentence)) return true;
  if (ONE_NAME_SUBJECT.test(sentence) || EVENT_WORDS.test(sentence)) return false;
  return (
    MANY_NAMES_SUBJECT.test(sentence) &&
    !(RESERVED_SUBJECT.test(sentence) && !/\b(?:names|domains|labels|strings) (?:are|can|will)\b/.test(sentence))
  );
}

const AUXILIARY = '(?:was|is|were|are|has|have|been|does|do|did|could|can)';
/** `… was not found`, `no … found`; the group is what was not found. */
const DENIAL_PATTERNS = [
  new RegExp(
    `^(.*?)\\b(?:${AUXILIARY} ?)*(?:(?:not|never)[_ -]?|n[’']t )(?:be |been )?(?:found|exist|existing|located|registered)`,
  ),
  /^((?:.*\b)?no(?:ne|thing)?\b.*?)\b(?:found|exists?|located|registered)\b/,
];
const UNKNOWN_WORDS = /\b(?:unknown|no such|non-?existent|missing)\b/;
/** What an RDAP server may call the missing domain. */
const OBJECT_WORDS = wordSet(
  '@ domain domains domainname name names object objects record records resource resources ressource entry entries match matches result results data information item items handle entity nothing none registration label',
);
const NEUTRAL_WORDS = wordSet(
  `the a an this that your our any no requested request queried query specified given following sorry unfortunately error errors
   http rdap whois 404 e404 status code message reason response you we have has asked for of with in to is was been which search lookup
   ldh ldhname fqdn idn not exact matching such it could can cannot did does do be and or by from currently there`,
);
/** A missing server, path or TLD, in languages that the patterns above do not cover. */
const SERVICE_NOT_FOUND_I18N =
  /conexi|conex[aã]o|connexion|verbindung|соединени|servi[dt]or|serveur|serwer|сервер|服务器|伺服器|サーバ|서버|datenbank|base de d|banco de dados|баз[аы] данных|数据库|\b(?:server|tld|zone|zona|mandant|route|pfad|seite|p[aá]gin[ae]|chemin|ruta)\b.{0,20}\b(?:nicht|niet|non|no|n[aã]o|ikke|inte|nie|introuvable|inconnue?|unbekannt|onbekend|sconosciuta?)(?!\p{L})/u;

/**
 * False when a sentence says that something else than the name is missing: `Tenant not found`, `Server not found`,
 * or another name.
 * @param sentence in lower case, with `@` for the queried name
 */
function mayConcernName(sentence: string): boolean {
  if (SERVICE_NOT_FOUND_I18N.test(sentence)) return false;
  const denied = deniedSubject(sentence);
  if (denied === null) return true;
  const tokens = tokenize(denied);
  return (
    tokens.every(isNeutralToken) || (tokens.length > MANY_TOKENS && tokens.some((token) => OBJECT_WORDS.has(token)))
  );
}

/** Whether a sentence says that there is no such name, or no more than a status line does. */
function deniesExistence(sentence: string): boolean {
  return (
    deniedSubject(sentence) !== null ||
    NO_RECORD.test(sentence) ||
    tokenize(sentence).every(isNeutralToken) ||
    saysNotFoundI18n(sentence)
  );
}

const NO_RECORD =
  /\bno (?:\S+ ){0,2}(?:data|information|records?|entr(?:y|ies)|objects?|match(?:es)?|results?|domains?|registration)\b|\b(?:available|free|vacant|unregistered)\b|\b(?:can ?not|could not|unable to) (?:find|locate)\b/;

/** What a sentence says is missing; null when it says nothing of the kind. */
function deniedSubject(sentence: string): string | null {
  const beginning = sentence.slice(0, MAX_DENIAL_POSITION);
  const [denial] = DENIAL_PATTERNS.flatMap((pattern) => pattern.exec(beginning) ?? []).slice(1);
  return denial ?? (UNKNOWN_WORDS.test(beginning) ? beginning.replace(UNKNOWN_WORDS, '') : null);
}

function tokenize(words: string): string[] {
  return words.split(/[^\p{L}\p{N}@.-]+/u).filter((token) => /[\p{L}@]/u.test(token));
}

function isNeutralToken(token: string): boolean {
  return NEUTRAL_WORDS.has(token) || OBJECT_WORDS.has(token);
}

/** Characters. A denial is at the front, and the patterns take quadratic time. */
const MAX_DENIAL_POSITION = 300;
/** More tokens make a sentence with clauses of its own. */
const MANY_TOKENS = 6;
