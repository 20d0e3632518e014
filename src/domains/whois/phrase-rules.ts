import { HYPOTHETICAL, ACCESS_DENIED, NOT_REGISTRABLE } from '../answer-text/error-phrases.js';
import type { Sentence } from './sentences.js';

/** A phrase, and the id under which evidence cites it. */
export interface PhraseRule {
  readonly id: string;
  readonly pattern: RegExp;
}

/** General terms that could apply one day, as against a report that they do. */
const CONDITIONAL =
  /\b(ll|do not|if|when|whenever|once|should|may|might|could|would|will|unless|without|prohibited|limits? on|limited to|maximum of|agree|terms|policy|or volume)\b/;

const THROTTLED: readonly PhraseRule[] = [
  {
    id: 'limit_exceeded',
    pattern:
      /\b(quota|limits?|ratelimit|allowance|rate)\b.{0,60}\b(exceeded|reached|surpassed|hit)\b|\breached (the |your |its )?(rate|query)[ -]limit\b/,
  },
  {
    id: 'limit_exceeded',
    pattern: /\bexceed(ed|s|ing)?\b.{0,60}\b(quota|limits?|allowance|number of|queries|requests|rate)\b/,
  },
  {
    id: 'too_many',
    pattern:
      /\btoo (many|fast|frequent|often|busy|much)\b|^(error )?[\d:, -]*excessive (querying|queries|requests|lookups)\b/,
  },
  {
    id: 'banned',
    pattern:
      /\b(ip|address|client|host|you|network|user)\b.{0,40}\b(blocked|banned|throttled|blacklisted|black-listed)\b/,
  },
  { id: 'banned', pattern: /\btemporarily (blocked|banned|throttled|denied)\b|\bblacklisted\b/ },
  {
    id: 'pace',
    pattern: /\b(only )?\d+ (request|quer)\w* per (second|minute|hour)\b.{0,40}\b(allowed|permitted|try)\b/,
  },
  {
    id: 'pace',
    pattern:
      /\b(go away|wait|grace period|try again|retry|maintain|come back).{0,60}\b\d+[ -]?(s|sec|second|minute|hour)s?\b/,
  },
  {
    id: 'pace',
    pattern:
      /\bat least \d+[ -]second|\bslow down\b|\bserver (is )?(too )?busy\b|\b(been|being|are|were|access) rate[ -]limited\b|^(error )?rate[ -]?limit/,
  },
];
const REFUSED: readonly PhraseRule[] = [
  {
    id: 'not_permitted',
    pattern: /\b(not (permitted|authori[sz]ed|allowed to (use|query|access))|unauthori[sz]ed|forbidden)\b/,
  },
  { id: 'not_permitted', pattern: ACCESS_DENIED },
  {
    id: 'other_zone',
    pattern:
      /\b(tld|zone|domain|suffix|extension|top[ -]level domain)\b.{0,40}\b(not (supported|served|managed|handled)|unsupported|unknown tld)\b/,
  },
  {
    id: 'other_zone',
    pattern:
      /\b(not (have any records for|authoritative for|managed by)|unsupported|no (whois )?server|not accept queries)\b.{0,40}/,
  },
  {
    id: 'service',
    pattern:
      /\b(can ?not|can t|could not|unable to|not able to|failed to)\b.{0,40}\b(process|connect|answer|answered|complete|contact|perform|fulfil|be processed|resolve|reach)\b/,
  },
  {
    id: 'service',
    pattern:
      /\b(connection|lookup|query|request|attempt|search)\b.{0,20}\bfailed\b|\btemporar(y|ily)\b|\bmaintenance\b|\btry again\b/,
  },
  {
    id: 'service',
    pattern:
      /\bservice\b.{0,20}\b(unavailable|not available|offline|down|suspended|disabled|closed|retired|discontinued)\b/,
  },
  {
    id: 'service',
    pattern: /\b(timed? ?out|timeout|internal (server )?error|error (has )?occurred|out of service|not responding)\b/,
  },
  {
    id: 'query',
    pattern:
      /\b(invalid|malformed|illegal|incorrect|bad|wrong)\b.{0,20}\b(query|request|command|syntax|input|parameter|option|argument|domain name|domain|object)\b/,
  },
  { id: 'page', pattern: /^(!doctype )?html\b/ },
  { id: 'query', pattern: /\b(syntax error|usage:|parameter value|not a valid|is not valid|invalid characters?)\b/ },
];
const RESERVED: readonly PhraseRule[] = [
  { id: 'reserved', pattern: /^(?!.*\brights?\b).*\b(reserved|withheld)\b/ },
  {
    id: 'blocked',
    pattern:
      /\b(domain|name|label|string|@)\b.{0,40}\b(blocked|prohibited|banned|forbidden|restricted|ineligible|restrictions)\b/,
  },
  { id: 'blocked', pattern: /\b(blocked|prohibited|banned|forbidden|restricted) (domain|name|label|string|word)\b/ },
  {
    id: 'not_registrable',
    pattern: /\b(can ?not|may not) be (registered|delegated)\b|\bnot registrable\b|\bunassignable\b/,
  },
  { id: 'not_registrable', pattern: NOT_REGISTRABLE },
  { id: 'not_registrable', pattern: /\bnot available or is reserved\b|\bnot allowed\b/ },
  { id: 'not_registrable', pattern: /\bviolates? (the |our )?(registry )?polic(y|ies)\b/ },
  { id: 'not_registrable', pattern: /\bconflicts? with\b.{0,60}\bregistered\b|\busage restrictions\b/ },
];
const PREMIUM: readonly PhraseRule[] = [
  { id: 'premium', pattern: /\bpremium (domain|name)\b|\b(is|as) (a )?premium\b|\bplatinum (domain|name)\b/ },
];

const REPORTED =
  /\bplease\b|\b(?:has been|have been|is|are|was|were) (?:exceeded|reached|blocked|banned|throttled)\b|\b(?:limit|quota) exceeded\b/;

function isReported(words: string): boolean {
  return REPORTED.test(words) && !HYPOTHETICAL.test(words);
}

/** Rate limits are checked before anything else. General terms do not count. */
export function findThrottling(sentences: readonly Sentence[]): readonly [PhraseRule, Sentence] | null {
  return findMatch(
    sentences,
    THROTTLED,
    ({ words, isProse }) => !isProse && (!CONDITIONAL.test(words) || isReported(words)),
  );
}

const GENERAL_TERMS =
  /\b(users|activities|any (?:other )?use|through|high[ -]volume|lawful|purposes|use of|this data|database|processes)\b/;

export function findRefusal(sentences: readonly Sentence[]): readonly [PhraseRule, Sentence] | null {
  return findMatch(
    sentences,
    REFUSED,
    ({ words, isProse }) => !isProse && !CONDITIONAL.test(words) && !GENERAL_TERMS.test(words),
  );
}

export function findReservation(sentences: readonly Sentence[]): readonly [PhraseRule, Sentence] | null {
  return findMatch(
    sentences,
    RESERVED,
    ({ words, isProse }) =>
      !isProse && !/\b(can be registered|agree|terms|data|information|access|use|server|service)\b/.test(words),
  );
}

export function mentionsPremium(sentences: readonly Sentence[]): boolean {
  return findMatch(sentences, PREMIUM, ({ words, isProse }) => !isProse && !CONDITIONAL.test(words)) !== null;
}

function findMatch(
  sentences: readonly Sentence[],
  rules: readonly PhraseRule[],
  isReport: (sentence: Sentence) => boolean,
): readonly [PhraseRule, Sentence] | null {
  for (const sentence of sentences) {
    const rule = rules.find(({ pattern }) => pattern.test(sentence.words));
    if (rule && isReport(sentence)) return [rule, sentence];
  }
  return null;
}

const SECONDS_BY_UNIT = { s: 1, sec: 1, second: 1, min: 60, minute: 60, hour: 3_600 };
const AMOUNT = /(\d+(?:\.\d+)?)[ -]?(seconds?|minutes?|hours?|sec|min|s)\b/gi;
/** Longer waits count as absent, so that no typing error blocks a server for ever. */
const MAX_WAIT_SECONDS = 86_400;

/** `100 queries per 24 hours`, `within the last 60 minutes`: the window of a limit, not a wait. */
const BEFORE_WINDOW =
  /(?:\b(?:per|within|every|each|over|during|last|past|previous|any|maximum|of)|[/(])\s*(?:(?:the|a|an|one) )?$/i;
const ENDS_WITH_IN = /\bin (?:(?:the|about|another|approximately) )?$/i;
/** These words before "in" make it a wait; "30 in 60 minutes" is a window. */
const RETRY_WORDS =
  /\b(?:again|retry|back|wait|replenish\w*|reset\w*|lifted|restored|available|expires?|unblocked|released|resume\w*|renew\w*)\b[^.\d]{0,30}$/i;

/** The wait that a sentence asks for (`will be replenished in 50 seconds`); null without one. */
export function parseRetryHint(sentence: string): number | null {
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
