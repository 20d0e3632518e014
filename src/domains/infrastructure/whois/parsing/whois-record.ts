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
  readonly factCount: number;
  /** How many different labels have a value, known or not. */
  readonly labelCount: number;
  readonly statuses: readonly string[];
  /** Those of contacts and hosts as well: a free name has none. */
  readonly allStatuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** The fields used, for evidence. */
  readonly usedFields: readonly WhoisField[];
}

/** What is longer is no value but a sentence of somebody's terms. */
const MAX_VALUE_LENGTH = 80;
export function parseWhoisRecord(
  fields: readonly WhoisField[],
  sentences: readonly Sentence[],
  name: DomainName,
  rules: WhoisTldRules,
): WhoisRecord {
  const order = detectDateOrder(sentences.map(({ text }) => text)) ?? rules.dateOrder;
  const inlineFields = sentences.flatMap(({ text }) => parseInlineField(text));
  const nonEmptyFields = [...fields, ...inlineFields].filter(({ value }) => hasContent(value));
  const fieldsOfKind = groupByKind(nonEmptyFields);
  const nameFields = fieldsOfKind('domain').filter(({ value }) => leadingName(value) !== '');
  const block = nameFields.find(({ value }) => name.matchesSpelling(leadingName(value)))?.block;
  const statusFields = statusFieldsOfName(fieldsOfKind('status'), block);
  // In ICANN's format this one is the registrar's; some registries give their only date this label.
  const expiryFields =
    [
      fieldsOfKind('expiry'),
      fieldsOfKind('status').flatMap(expiryInStatus),
      fieldsOfKind('renewal'),
      fieldsOfKind('registrar expiry'),
    ].find((fields) => fields.some(hasYear)) ?? [];
  const expiry = firstDate(expiryFields, order);
  const creationFields = fieldsOfKind('creation');
  const created = firstDate(creationFields, order);
  const holder = fieldsOfKind('holder').find(({ value }) => /\p{L}/u.test(value));
  const server = fieldsOfKind('server').find(({ value }) => /[\p{L}\d-]+\.[\p{L}\d-]+/u.test(value));
  return {
    about: identifySubject(nameFields, name, sentences),
    factCount: [expiryFields.find(hasYear), creationFields.find(hasYear), holder, server].filter(
      (fact) => fact !== undefined,
    ).length,
    labelCount: new Set(
      nonEmptyFields.filter(({ value }) => value.length <= MAX_VALUE_LENGTH).map(({ label }) => label),
    ).size,
    statuses: [...new Set(statusFields.flatMap(({ value }) => parseStatuses(value)))],
    allStatuses: fieldsOfKind('status').flatMap(({ value }) => parseStatuses(value)),
    registeredAt: created?.date ?? null,
    expiresAt: expiry?.date ?? null,
    usedFields: [
      ...nameFields.slice(0, 1),
      ...statusFields.slice(0, 8),
      ...[created, expiry].flatMap((dated) => (dated ? [dated.field] : [])),
    ],
  };
}

/** Reads each label once: an answer has dozens, and every meaning has its patterns. */
function groupByKind(fields: readonly WhoisField[]): (kind: FieldKind) => readonly WhoisField[] {
  const groups = new Map<FieldKind, WhoisField[]>();
  for (const field of fields) {
    const kind = classifyField(field);
    const group = groups.get(kind);
    if (group) group.push(field);
    else groups.set(kind, [field]);
  }
  return (kind) => groups.get(kind) ?? [];
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
  nameFields: readonly WhoisField[],
  name: DomainName,
  sentences: readonly Sentence[],
): WhoisRecord['about'] {
  const label = name.ascii.slice(0, name.ascii.lastIndexOf('.'));
  const names = nameFields.map(({ value }) => leadingName(value));
  if (names.some((each) => name.matchesSpelling(each) || each.toLowerCase() === label)) return 'asked';
  if (names.some((each) => each.includes('.'))) return 'other';
  return sentences.some(({ words }) => isMention(words)) ? 'asked' : 'unnamed';
}

/** `Information about @`, or the name on a line of its own. */
function isMention(words: string): boolean {
  const tokens = words.split(' ');
  return tokens.includes('@') && (tokens.length <= 6 || /^(?:\w+ )?status: /.test(words));
}

/** Contacts and hosts have statuses of their own; the name's stand with the name where blank lines part the objects. */
function statusFieldsOfName(fields: readonly WhoisField[], block: number | undefined): readonly WhoisField[] {
  const own = fields.filter((field) => field.block === block);
  return own.length > 0 ? own : fields;
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
