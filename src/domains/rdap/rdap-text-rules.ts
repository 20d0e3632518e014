import { LRUCache } from 'lru-cache';
import type { DomainName } from '../domain/name/domain-name.js';
import { RELEASE_PERIODS, type ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import { type Json, toList, member, toText } from './rdap-json.js';
import { deniesExistence, isGeneralTerms, mayConcernName } from './rdap-error-phrases.js';
import { isReservedPhrase, impliesTaken, reportsError } from '../answer-text/error-phrases.js';
import { ACCESS_DENIED, NOT_REGISTRABLE } from '../answer-text/shared-phrases.js';

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
  const notices = member(record, 'notices');
  if (typeof notices !== 'object' || notices === null) return notices !== undefined && readLimitReport(record);
  let reports = limitReports.get(notices);
  if (reports === undefined) limitReports.set(notices, (reports = readKnownLimitReport(record, notices)));
  return reports;
}

/** Plain records share the notices of their registry. */
const limitReports = new WeakMap<object, boolean>();

function readKnownLimitReport(record: Json, notices: Json): boolean {
  const text = cacheKey(notices);
  const known = text === null ? undefined : limitReportCache.get(text);
  if (known !== undefined) return known;
  const reports = readLimitReport(record);
  if (text !== null) limitReportCache.set(text, reports);
  return reports;
}

function readLimitReport(record: Json): boolean {
  return noticeTexts(record, 'notices')
    .filter((statement) => !BOILERPLATE_TITLE.test(statement.split('. ')[0] ?? ''))
    .filter((statement) => !/\b(if|when|whenever|once|should|may|might|users who)\b/.test(statement))
    .some((statement) => LIMIT_EXCEEDED.some((pattern) => pattern.test(statement)));
}

/** Notices repeat with every record of a registry, so their verdict is cached. */
const limitReportCache = new LRUCache<string, boolean>({ max: 1_000 });
const MAX_CACHED_LENGTH = 8_192;

/**
 * null when caching makes no sense: very long notices, or nested so deeply that serializing would overflow the
 * stack.
 */
function cacheKey(notices: Json): string | null {
  try {
    const text = JSON.stringify(notices);
    return text.length > MAX_CACHED_LENGTH ? null : text;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
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
  return toText(typeof value === 'string' ? value.replace(/\p{Cf}+/gu, '') : value);
}

/** Masks the name (`premium.example not found` is not about a price) and drops "all rights reserved". */
function normalizeForRules(statement: string, name: DomainName): string {
  return statement
    .replaceAll(name.ascii, '@')
    .replaceAll(name.unicode, '@')
    .replaceAll('_', ' ')
    .replace(/\b(all )?rights (are )?reserved\b/g, '');
}
