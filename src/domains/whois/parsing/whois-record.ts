import type { DomainName } from '../../domain/name/domain-name.js';
import { DAY } from '../../../kernel/clock.js';
import { normalizeWhoisStatus } from '../../domain/lifecycle/epp-status.js';
import { type FieldKind, classifyField } from './field-classifier.js';
import { expiryInStatus, parseInlineField } from './inline-field.js';
import { type DateOrder, detectDateOrder, parseWhoisDate } from './whois-date.js';
import type { WhoisField } from './whois-fields.js';
import type { RecordFields } from './whois-registration-record.js';
import type { WhoisTldRules } from './whois-tld-rules.js';
import type { Sentence } from './sentences.js';

/** The facts in an answer, before any verdict. */
export interface WhoisRecord {
  /** Which name the record is for: the queried one, another one, or not stated. */
  readonly about: 'asked' | 'other' | 'unnamed';
  /** How many kinds of facts only a registration has: expiry, creation, holder, server. */
  readonly factCount: number;
  /** How many different labels have a value, known or not. */
  readonly labelCount: number;
  readonly statuses: readonly string[];
  /** Including statuses of contacts and hosts: an available name has none. */
  readonly allStatuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** The fields that facts were taken from, for evidence. */
  readonly usedFields: readonly WhoisField[];
  /** What a registration record is read from, if the answer turns out to be one. */
  readonly recordFields: RecordFields;
}

/** Longer values are sentences of general terms. */
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
  // In ICANN's format the registrar's own expiry; some registries give their only date this label.
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
  const statuses = [...new Set(statusFields.flatMap(({ value }) => parseStatuses(value)))];
  return {
    about: identifySubject(nameFields, name, sentences),
    factCount: [expiryFields.find(hasYear), creationFields.find(hasYear), holder, server].filter(
      (fact) => fact !== undefined,
    ).length,
    labelCount: new Set(
      nonEmptyFields.filter(({ value }) => value.length <= MAX_VALUE_LENGTH).map(({ label }) => label),
    ).size,
    statuses,
    allStatuses: fieldsOfKind('status').flatMap(({ value }) => parseStatuses(value)),
    registeredAt: created?.date ?? null,
    expiresAt: expiry?.date ?? null,
    usedFields: [
      ...nameFields.slice(0, 1),
      ...statusFields.slice(0, 8),
      ...[created, expiry].flatMap((dated) => (dated ? [dated.field] : [])),
    ],
    recordFields: { all: nonEmptyFields, servers: fieldsOfKind('server'), statuses, dateOrder: order },
  };
}

/** Classifies each field once: answers have dozens, and each kind has its patterns. */
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

/** A date, even in an unknown format, shows a registration. */
function hasYear({ value }: WhoisField): boolean {
  return (
    value.length <= MAX_VALUE_LENGTH &&
    /(?<!\d)(?:[12]\d{3}|9999)(?:\d{4}|\d{10})?(?!\d)|^\d{1,2}-\p{L}{3}-\d\d\b/u.test(value)
  );
}

/** Empty and placeholder values have no content. */
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

/** `Information about @`, or the name alone on a line. */
function isMention(words: string): boolean {
  const tokens = words.split(' ');
  return tokens.includes('@') && (tokens.length <= 6 || /^(?:\w+ )?status: /.test(words));
}

/** Contacts and hosts have statuses too; the name's own are in its block. */
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
    .map((part) => normalizeWhoisStatus(part.trim().slice(0, 100)))
    .filter((status) => status !== '');
}

/** The first date; if another one has the same day and a time, that one. */
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
