import type { DomainName } from '../domain/name/domain-name.js';
import { isPrintableAscii } from '../answer-text/printable.js';
import { type AnswerLine, extractSentences } from '../answer-text/sentences.js';
import {
  classifySentence,
  DOUBTS,
  findReading,
  type Reading,
  type SentenceMeaning,
} from '../answer-text/sentence-grammar.js';
import { isLegalText } from '../answer-text/terms.js';
import { type Json, toList, member, toText } from './rdap-json.js';

/** Matches titles of general notices, in which sentences that match no rule are ignored. */
const BOILERPLATE_TITLE =
  /terms|conditions|copyright|disclaimer|policy|privacy|redact|status codes|inaccuracy|complaint|about|legal|rate limit/;
/** The maximum length of a notice about one name. A longer notice states terms of use. */
const MAX_STATEMENT_LENGTH = 1_000;

/** Returns what the texts of an error response say about the name. Returns null if they say nothing that matters. */
export function readErrorText(json: Json, name: DomainName): SentenceMeaning | null {
  const own = readTexts([member(json, 'title')], toList(member(json, 'description')), name);
  const others = [...readNotices(json, 'notices', name), ...readNotices(json, 'remarks', name)];
  const strongest = findReading(
    [...own, ...others],
    'throttled',
    'service',
    'released',
    'reserved',
    ...DOUBTS,
    'premium',
  );
  if (strongest) return strongest.meaning;
  const denial = findReading(own, 'denied');
  // Terms of use instead of "not found" make the answer unclear. Other texts, such as the title "Error", change
  // nothing.
  return denial === null && findReading(own, 'terms') ? { kind: 'unknown' } : null;
}

/** Words for an exceeded limit. A text without any of these words reports no exceeded limit. */
const LIMIT_WORDS = /exceed|reached|surpassed|many|blocked|banned|throttled|limited/;

/** Whether a notice says that the client's quota is used up. A record with data may have such a notice. */
export function reportsLimitExceeded(record: Json, name: DomainName): boolean {
  if (!toList(member(record, 'notices')).some((notice) => LIMIT_WORDS.test(noticeText(notice)))) return false;
  return findReading(readNotices(record, 'notices', name), 'throttled') !== null;
}

export function hasReservationRemark(record: Json, name: DomainName): boolean {
  return findReading(readNotices(record, 'remarks', name), 'reserved') !== null;
}

/** Reads notices or remarks (RFC 9083 §4.3). Ignores unknown sentences below a title such as "Terms of use". */
function readNotices(json: Json, memberName: 'notices' | 'remarks', name: DomainName): Reading[] {
  return toList(member(json, memberName)).flatMap((notice) => {
    const text = noticeText(notice);
    const isLegal = text.length > MAX_STATEMENT_LENGTH || isLegalText(text);
    const readings = readTexts([member(notice, 'title')], toList(member(notice, 'description')), name, isLegal);
    const isBoilerplate = BOILERPLATE_TITLE.test(visibleText(member(notice, 'title')).toLowerCase());
    return isBoilerplate ? readings.filter(({ meaning }) => meaning.kind !== 'unknown') : readings;
  });
}

/** Joins the members of a description, since some registries wrap one text into several members. */
function readTexts(title: readonly Json[], description: readonly Json[], name: DomainName, isLegal = false): Reading[] {
  const toLines = (texts: readonly Json[]): AnswerLine[] => texts.map((text) => ({ text: visibleText(text).trim() }));
  const head = extractSentences(toLines(title), name);
  const body = extractSentences(toLines(description), name).map((each) =>
    isLegal ? { ...each, isProse: true } : each,
  );
  return [...head, ...body].map((sentence) => ({ sentence, meaning: classifySentence(sentence) }));
}

function noticeText(notice: Json): string {
  const lines = [member(notice, 'title'), ...toList(member(notice, 'description'))];
  return lines.map(visibleText).join('. ').toLowerCase();
}

/** Removes invisible characters, which could hide a word that overrules "not found". */
function visibleText(value: Json): string {
  return toText(typeof value === 'string' && !isPrintableAscii(value) ? value.replace(/\p{Cf}+/gu, '') : value);
}
