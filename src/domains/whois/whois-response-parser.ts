import { type LookupErrorCode, MAX_EXCERPT_LENGTH, type ParsedResponse } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import {
  absent,
  found,
  inReleasePeriod,
  premium,
  type RegistrationFacts,
  reserved,
} from '../domain/lifecycle/registration-facts.js';
import { isFreeStatus } from '../answer-text/denial.js';
import {
  classifySentence,
  DOUBTS,
  findReading,
  findThrottling,
  type Reading,
} from '../answer-text/sentence-grammar.js';
import { type AnswerLine, extractSentences, type Sentence } from '../answer-text/sentences.js';
import type { RegistrationRecord } from '../domain/record/registration-record.js';
import { parseFields, parseField } from './whois-fields.js';
import { parseWhoisRecord, type WhoisRecord, parseWhoisRegistrationRecord } from './whois-record.js';
import { whoisRulesFor, type WhoisTldRules } from './whois-tld-rules.js';
import { findTextFlaw, parseLines, decodeBody, type WhoisLine } from './whois-text.js';

type Verdict = {
  readonly rule: string;
  readonly matched?: Sentence | undefined;
} & ({ readonly facts: RegistrationFacts; readonly record?: RegistrationRecord } | { readonly code: LookupErrorCode });
interface Answer {
  readonly sentences: readonly Sentence[];
  readonly record: WhoisRecord;
  readonly rules: WhoisTldRules;
}

/** An answer that matches no rule is a failure, never a status. */
export function parseWhoisResponse(name: DomainName, body: Buffer): ParsedResponse {
  const rules = whoisRulesFor(name.registry);
  const text = decodeBody(body, rules.charset);
  const flaw = findTextFlaw(text);
  if (flaw) {
    const excerpt = `${body.length} bytes`;
    return {
      kind: 'failure',
      rule: `whois.${flaw}`,
      excerpt,
      code: 'registry_answer_unusable',
      retryAfterSeconds: null,
    };
  }
  const lines = parseLines(text);
  const sentences = extractSentences(toAnswerLines(lines), name);
  const record = parseWhoisRecord(parseFields(lines), sentences, name, rules);
  const { matched, ...verdict } = classify({ sentences, record, rules });
  const excerpt = whoisExcerpt(record, matched ?? null, sentences);
  if ('facts' in verdict) return { kind: 'facts', excerpt, ...verdict };
  return { kind: 'failure', excerpt, ...verdict, retryAfterSeconds: parseRetryHint(matched?.text ?? '') };
}

/** Labels of server messages. The text after such a label is a sentence. */
const MESSAGE_LABEL =
  /^(?:(?:important |legal |please )?(?:errors?|messages?|results?|notes?|notices?|warnings?|remarks?|info|reason|answer|response|disclaimer|terms(?: of use)?|attention|hint)(?: \d+)?|.*\b(?:sorry|domain not found).*)$/;

function toAnswerLines(lines: readonly WhoisLine[]): AnswerLine[] {
  return lines.map(({ text, isCut }, at) => {
    if (isAboutOtherObject(lines, at + 1)) return { text: '' };
    const label = parseField(text)?.label ?? null;
    return { text, isCut, label: label !== null && MESSAGE_LABEL.test(label) ? null : label };
  });
}

/** Recognizes JWhoisServer's lines about a missing contact: `NO OBJECT FOUND! / object: 210 / type: person`. */
function isAboutOtherObject(lines: readonly WhoisLine[], after: number): boolean {
  const [object, type] = lines.slice(after, after + 2).map(({ text }) => parseField(text));
  return object?.label === 'object' && type?.label === 'type' && type.value !== 'domain';
}

/** Labels that contacts may have. "Not found" after such a label may mean a missing contact, not a missing name. */
const CONTACT_LABEL =
  /^(?:name|record|information|info|key|data|entry|code|id|address|email|status|.*status|registr.*)$/;

/** Ignores a label's value if its meaning is unknown, or if its "not found" may be about a contact. */
function readSentence(sentence: Sentence): Reading {
  const meaning = classifySentence(sentence);
  const isSilent =
    sentence.label !== null &&
    (meaning.kind === 'unknown' || (meaning.kind === 'denied' && CONTACT_LABEL.test(sentence.label)));
  return { sentence, meaning: isSilent ? { kind: 'decoration' } : meaning };
}

function classify(answer: Answer): Verdict {
  const { sentences, record } = answer;
  if (sentences.length === 0) return unusable('whois.empty');
  const throttling = findThrottling(sentences);
  if (throttling)
    return { rule: `whois.throttled.${throttling[0]}`, code: 'registry_throttled', matched: throttling[1] };
  if (record.about === 'other') return unusable('whois.other_name');
  const readings = record.factCount < CERTAIN_STRENGTH ? sentences.map(readSentence) : [];
  return classifyText(answer, readings) ?? classifyRecord(answer, readings);
}

/** This many facts (expiry, creation, holder, server) prove a record, so no sentence counts as "not found". */
const CERTAIN_STRENGTH = 2;

function classifyText(answer: Answer, readings: readonly Reading[]): Verdict | null {
  const { sentences, record, rules } = answer;
  const ownPhrase = sentences.find(({ words }) => rules.notFoundSentence?.test(words));
  const isAllowed = !rules.isNotFoundOnlyAlone || sentences.length === 1;
  if (ownPhrase && isAllowed && record.factCount === 0 && record.allStatuses.length === 0) {
    const others = readings.filter(({ sentence }) => sentence !== ownPhrase);
    return findReading(others, ...DOUBTS, 'reserved', 'released')
      ? unusable('whois.contradiction', ownPhrase)
      : toNotFound('registry', readings, ownPhrase);
  }
  if (record.factCount >= CERTAIN_STRENGTH) return null;
  const refusal = findReading(readings, 'service');
  if (refusal?.meaning.kind === 'service') return unusable(`whois.refused.${refusal.meaning.id}`, refusal.sentence);
  const shared = sentences.find(({ words }) => rules.reservedSentence?.test(words));
  if (shared && record.factCount === 0) return { rule: 'whois.reserved.sentence', facts: reserved, matched: shared };
  const release = record.factCount === 0 ? findRelease(answer, readings) : null;
  if (release) return release;
  const reservedStatus = record.statuses.find((status) => RESERVED_STATUS.test(status));
  if (reservedStatus !== undefined) return { rule: 'whois.reserved.status', facts: reserved };
  const reservation = findReading(readings, 'reserved');
  if (reservation && record.statuses.some(isFreeStatus)) return unusable('whois.contradiction', reservation.sentence);
  if (reservation?.meaning.kind === 'reserved')
    return { rule: `whois.reserved.${reservation.meaning.id}`, facts: reserved, matched: reservation.sentence };
  return classifyNotFound(record, readings);
}

function findRelease({ record, rules: { release } }: Answer, readings: readonly Reading[]): Verdict | null {
  if (release && record.statuses.some((status) => release.status.test(status)))
    return { rule: `whois.released.${release.period}`, facts: inReleasePeriod(release.period) };
  const reading = findReading(readings, 'released');
  if (reading?.meaning.kind !== 'released') return null;
  const { period } = reading.meaning;
  return { rule: `whois.released.${period}`, facts: inReleasePeriod(period), matched: reading.sentence };
}

function classifyNotFound(record: WhoisRecord, readings: readonly Reading[]): Verdict | null {
  const isFree = record.statuses.some(isFreeStatus);
  if (isFree && !record.allStatuses.every(isFreeStatus)) return unusable('whois.contradiction');
  const denial = findReading(readings, 'denied');
  if (!isFree && !denial) return null;
  if (contradicts(record, isFree) || findReading(readings, ...DOUBTS))
    return unusable('whois.contradiction', denial?.sentence);
  // Without the name in the answer, `status: free` could be about something else, such as the registry's service.
  if (isFree && !denial && record.about !== 'asked') return unusable('whois.unclassified');
  if (isFree) return toNotFound('status', readings);
  return toNotFound(denial?.meaning.kind === 'denied' ? denial.meaning.id : '', readings, denial?.sentence);
}

/** This many labels make a record, even in an unknown language. A "not found" answer has at most six. */
const MIN_RECORD_LABELS = 10;

function contradicts(
  { factCount: strength, allStatuses: statusesOfAll, labelCount: labels }: WhoisRecord,
  isFree: boolean,
): boolean {
  return strength > 0 || labels >= MIN_RECORD_LABELS || (!isFree && statusesOfAll.length > 0);
}

function toNotFound(id: string, readings: readonly Reading[], matched?: Sentence): Verdict {
  const facts = findReading(readings, 'premium') ? premium : absent;
  return { rule: `whois.absent.${id}`, facts, matched };
}

function classifyRecord({ sentences, record, rules }: Answer, readings: readonly Reading[]): Verdict {
  if (record.about === 'unnamed' && !isSelfEvident(record)) return unusable('whois.unclassified');
  const quarantine = findQuarantine({ sentences, record, rules });
  const isTaken =
    quarantine !== null ||
    record.statuses.some((status) => TAKEN_STATUS.test(status) || rules.takenStatus?.test(status));
  if (record.factCount === 0 && !isTaken) return unusable('whois.unclassified');
  if (record.statuses.some(isFreeStatus) || findReading(readings, 'denied')) return unusable('whois.contradiction');
  const { statuses, registeredAt, expiresAt, releasesAt } = record;
  if (statuses.some((status) => /^reserved$/.test(status)) && !expiresAt)
    return { rule: 'whois.reserved.status', facts: { ...reserved, statuses } };
  const publishesExpiry = expiresAt ? true : rules.publishesExpiry;
  const dates = { registeredAt, expiresAt, ...(releasesAt && { releasesAt }) };
  const facts = found({ statuses, ...dates, publishesExpiry, quarantine });
  const rule = quarantine ? 'whois.found.quarantine' : 'whois.found';
  return { rule, facts, record: parseWhoisRegistrationRecord(record.recordFields) };
}

function findQuarantine({ sentences, record, rules }: Answer): RegistrationFacts['quarantine'] {
  const texts = [...record.statuses, ...sentences.filter(({ isProse }) => !isProse).map(({ words }) => words)];
  return rules.quarantine.find(({ words }) => texts.some((each) => words.test(each)))?.phase ?? null;
}

/** Whether a record that states no name has enough facts to count as the record of the queried name. */
function isSelfEvident({ factCount: strength, registeredAt, expiresAt }: WhoisRecord): boolean {
  return strength > CERTAIN_STRENGTH || (strength === CERTAIN_STRENGTH && (registeredAt ?? expiresAt) !== null);
}

const RESERVED_STATUS =
  /^(?:\d{3} )?(?:reserved|blocked|disputed|prohibited|forbidden|restricted|unassignable|not allowed|unavailable|ineligible|banned|not for registration|registry reserved|reserved (?:name|domain)|prohibited string)\b/;
/** Statuses that only registered names have. */
const TAKEN_STATUS =
  /^(?:\d{3} )?(?:active|registered|not available|taken|in use|delegated|connect(?:ed)?|granted|published|ok|quarantine|in quarantine|.*prohibited|.*hold|.*period|pending .*|deactivated|suspended|expired)\b/;

function unusable(rule: string, matched?: Sentence): Verdict {
  return { rule, code: 'registry_answer_unusable', matched };
}

/**
 * A brief answer has at most this many sentences. If no sentence matched a rule, only a brief answer is quoted as
 * evidence.
 */
const BRIEF_SENTENCES = 3;

/**
 * Returns the fields used, and the matched sentence or a brief answer. The rest is left out, because it may contain
 * contacts.
 */
function whoisExcerpt(record: WhoisRecord, matched: Sentence | null, sentences: readonly Sentence[]): string {
  const fields = record.usedFields.map(({ label, value }) => `${label}: ${value}`);
  const isBrief = fields.length === 0 && sentences.length <= BRIEF_SENTENCES;
  const quoted = matched ? [matched] : isBrief ? sentences.filter(isServerMessage) : [];
  const excerpt = [...quoted.map(({ text }) => text), ...fields].map(redactContacts).join('; ');
  return (excerpt || `${sentences.length} lines`).slice(0, MAX_EXCERPT_LENGTH).toWellFormed();
}

/** Whether a line may be quoted: without a label, or with the label of a message. Other lines may name a contact. */
function isServerMessage({ text }: Sentence): boolean {
  const field = parseField(text);
  return field === null || /^(?:error|message|status|result|query|notice|warning)/.test(field.label);
}

function redactContacts(text: string): string {
  return text
    .replace(/[^\s@:;,<>"]+@[^\s@:;,<>"]+/g, '[address]')
    .replace(/\+?\d[\d ().-]{8,}\d(?!\d|:)/g, (number) =>
      /^\d{4}-\d\d|^\d{1,2}[./-]\d|^\d{8}|^\d{4}[./]/.test(number) ? number : '[number]',
    );
}

const SECONDS_BY_UNIT = { s: 1, sec: 1, second: 1, min: 60, minute: 60, hour: 3_600 };
const AMOUNT = /(\d+(?:\.\d+)?)[ -]?(seconds?|minutes?|hours?|sec|min|s)\b/gi;
/** A longer wait is ignored, so that a typing error cannot block a server for ever. */
const MAX_WAIT_SECONDS = 86_400;

/** Matches words before the period of a limit, as in `100 queries per 24 hours`. */
const BEFORE_WINDOW =
  /(?:\b(?:per|within|every|each|over|during|last|past|previous|any|maximum|of)|[/(])\s*(?:(?:the|a|an|one) )?$/i;
const ENDS_WITH_IN = /\bin (?:(?:the|about|another|approximately) )?$/i;
/** After these words, `in 60 minutes` is a wait. `30 in 60 minutes` states a limit. */
const RETRY_WORDS =
  /\b(?:again|retry|back|wait|replenish\w*|reset\w*|lifted|restored|available|expires?|unblocked|released|resume\w*|renew\w*)\b[^.\d]{0,30}$/i;

/**
 * Returns the wait in seconds that a sentence asks for (`will be replenished in 50 seconds`); null if it asks for none.
 */
function parseRetryHint(sentence: string): number | null {
  for (const { 0: whole, 1: amount, 2: unit = '', index } of sentence.matchAll(AMOUNT)) {
    const seconds = Math.ceil(Number(amount) * unitSeconds(unit));
    if (isWait(sentence.slice(0, index), sentence.slice(index + whole.length)))
      return seconds > 0 && seconds <= MAX_WAIT_SECONDS ? seconds : null;
  }
  return null;
}

function isWait(before: string, after: string): boolean {
  if (BEFORE_WINDOW.test(before) || /^[ -](?:window|period|interval|limit|quota)\b/i.test(after)) return false;
  return !ENDS_WITH_IN.test(before) || RETRY_WORDS.test(before.replace(ENDS_WITH_IN, ''));
}

function unitSeconds(unit: string): number {
  return SECONDS_BY_UNIT[unit.toLowerCase().replace(/(?<=\w{2})s$/, '') as keyof typeof SECONDS_BY_UNIT];
}
