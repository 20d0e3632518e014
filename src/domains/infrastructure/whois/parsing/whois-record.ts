import type { DomainName } from '../../../domain/name/domain-name.js';
import { DAY } from '../../../../kernel/clock.js';
import { normalizeEppStatus } from '../../../domain/lifecycle/epp-status.js';
import { type FieldKind, classifyField } from './field-classifier.js';
import { expiryInStatus, parseInlineField } from './inline-field.js';
import { type DateOrder, detectDateOrder, parseWhoisDate } from './whois-date.js';
import type { WhoisField } from './whois-fields.js';
import type { WhoisTldRules } from './whois-tld-rules.js';
import type { Sentence } from './sentences.js';

/** What an answer holds about a name, before anybody judges it. */
export interface WhoisRecord {
  /** Whose record it is: this name's, another one's, or it does not say. */
  readonly about: 'asked' | 'other' | 'unnamed';
  /** How many kinds of facts it has that only a registration has. */
  readonly strength: number;
  /** How many different labels have a value, known or not. */
  readonly labels: number;
  readonly statuses: readonly string[];
  /** Those of contacts and hosts as well: a free name has none. */
  readonly statusesOfAll: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** The fields used, for evidence. */
  readonly used: readonly WhoisField[];
}

/** What is longer is no value but a sentence of somebody's terms. */
const MAX_VALUE_LENGTH = 80;
export function parseWhoisRecord(
  fields: readonly WhoisField[],
  statements: readonly Sentence[],
  name: DomainName,
  registry: WhoisTldRules,
): WhoisRecord {
  const order = detectDateOrder(statements.map(({ text }) => text)) ?? registry.dateOrder;
  const spoken = statements.flatMap(({ text }) => parseInlineField(text));
  const valued = [...fields, ...spoken].filter(({ value }) => hasContent(value));
  const those = groupByKind(valued);
  const named = those('domain').filter(({ value }) => leadingName(value) !== '');
  const block = named.find(({ value }) => name.matchesSpelling(leadingName(value)))?.block;
  const stated = statusFieldsOfName(those('status'), block);
  // In ICANN's format this one is the registrar's; some registries give their only date this label.
  const lapses =
    [those('expiry'), those('status').flatMap(expiryInStatus), those('renewal'), those('registrar expiry')].find(
      (fields) => fields.some(hasYear),
    ) ?? [];
  const expiry = firstDate(lapses, order);
  const creations = those('creation');
  const created = firstDate(creations, order);
  const holder = those('holder').find(({ value }) => /\p{L}/u.test(value));
  const server = those('server').find(({ value }) => /[\p{L}\d-]+\.[\p{L}\d-]+/u.test(value));
  return {
    about: identifySubject(named, name, statements),
    strength: [lapses.find(hasYear), creations.find(hasYear), holder, server].filter((fact) => fact !== undefined)
      .length,
    labels: new Set(valued.filter(({ value }) => value.length <= MAX_VALUE_LENGTH).map(({ label }) => label)).size,
    statuses: [...new Set(stated.flatMap(({ value }) => parseStatuses(value)))],
    statusesOfAll: those('status').flatMap(({ value }) => parseStatuses(value)),
    registeredAt: created?.date ?? null,
    expiresAt: expiry?.date ?? null,
    used: [
      ...named.slice(0, 1),
      ...stated.slice(0, 8),
      ...[created, expiry].flatMap((dated) => (dated ? [dated.field] : [])),
    ],
  };
}

/** Reads each label once: an answer has dozens, and every meaning has its patterns. */
function groupByKind(fields: readonly WhoisField[]): (meaning: FieldKind) => readonly WhoisField[] {
  const groups = new Map<FieldKind, WhoisField[]>();
  for (const field of fields) {
    const meaning = classifyField(field);
    const group = groups.get(meaning);
    if (group) group.push(field);
    else groups.set(meaning, [field]);
  }
  return (meaning) => groups.get(meaning) ?? [];
}

/** A date, perhaps in a form that nobody here can read: it tells of a registration all the same. */
function hasYear({ value }: WhoisField): boolean {
  return (
    value.length <= MAX_VALUE_LENGTH &&
    /(?<!\d)(?:[12]\d{3}|9999)(?:\d{4}|\d{10})?(?!\d)|^\d{1,2}-\p{L}{3}-\d\d\b/u.test(value)
  );
}

/** Labels with nothing behind them, and words that stand for nothing. */
function hasContent(value: string): boolean {
  return value !== '' && !/^(?:n\/?a|null|none|-+|\.+|not (?:set|available|applicable))$/i.test(value);
}

function leadingName(value: string): string {
  return (/^[^\s(,;[]+/.exec(value)?.[0] ?? '').replace(/^["']|["'.]+$/g, '');
}

function identifySubject(
  named: readonly WhoisField[],
  name: DomainName,
  statements: readonly Sentence[],
): WhoisRecord['about'] {
  const label = name.ascii.slice(0, name.ascii.lastIndexOf('.'));
  const names = named.map(({ value }) => leadingName(value));
  if (names.some((each) => name.matchesSpelling(each) || each.toLowerCase() === label)) return 'asked';
  if (names.some((each) => each.includes('.'))) return 'other';
  return statements.some(({ words }) => isMention(words)) ? 'asked' : 'unnamed';
}

/** `Information about @`, or the name on a line of its own. */
function isMention(words: string): boolean {
  const tokens = words.split(' ');
  return tokens.includes('@') && (tokens.length <= 6 || /^(?:\w+ )?status: /.test(words));
}

/** Contacts and hosts have statuses of their own; the name's stand with the name where blank lines part the objects. */
function statusFieldsOfName(statuses: readonly WhoisField[], block: number | undefined): readonly WhoisField[] {
  const own = statuses.filter((field) => field.block === block);
  return own.length > 0 ? own : statuses;
}

/** `ok / autoRenewPeriod`, `a, b`, `220 Available`, `ok - Normal state.`, `serverHold (by court order)`. */
function parseStatuses(value: string): string[] {
  return value
    .replace(/https?:\S*/g, '')
    .replace(/\([^)]*\)?/g, '')
    .replace(/, and may be available\b.*$/i, '')
    .split(/\s\/\s|,|;|\s-\s.*$|\s-$/)
    .map((part) => normalizeEppStatus(part.trim().slice(0, 100)))
    .map((status) => EPP_SHORTHANDS.get(status.replace(/[\s_-]/g, '')) ?? status)
    .filter((status) => status !== '');
}

/** Spellings of EPP's statuses that leave out who set them. */
const EPP_SHORTHANDS = new Map([
  ['hold', 'server hold'],
  ['deleteprohibited', 'server delete prohibited'],
  ['transferprohibited', 'server transfer prohibited'],
  ['updateprohibited', 'server update prohibited'],
  ['renewprohibited', 'server renew prohibited'],
]);

/** The first; where the same day is told again with its time, that one. */
function firstDate(fields: readonly WhoisField[], order: DateOrder | null) {
  const dated = fields.flatMap((field) => {
    const date = parseWhoisDate(field.value, order);
    return date ? [{ field, date }] : [];
  });
  const [first] = dated;
  const isSameDay = ({ date }: { date: Date }) =>
    first && !isMidnight(date) && Math.abs(date.getTime() - first.date.getTime()) < DAY;
  return first && isMidnight(first.date) ? (dated.find(isSameDay) ?? first) : first;
}

function isMidnight(date: Date): boolean {
  return date.getTime() % DAY === 0;
}
