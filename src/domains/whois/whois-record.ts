import type { DomainName } from '../domain/name/domain-name.js';
import { after, DAY, HOUR } from '../../kernel/clock.js';
import { normalizeWhoisStatus } from '../domain/lifecycle/epp-status.js';
import {
  type FieldKind,
  classifyField,
  expiryInStatus,
  parseInlineField,
  type WhoisField,
  MAX_LINES_BELOW,
} from './whois-fields.js';
import { type DateOrder, detectDateOrder, parseWhoisDate } from './whois-date.js';
import type { WhoisTldRules } from './whois-tld-rules.js';
import type { Sentence } from '../answer-text/sentences.js';
import {
  type DsRecord,
  normalizeHostName,
  parseDsRecord,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../domain/record/registration-record.js';

/** The facts in a WHOIS answer, before the answer is judged. */
export interface WhoisRecord {
  /** Whether the record contains the queried name, another name, or no name. */
  readonly about: 'asked' | 'other' | 'unnamed';
  /** How many of four facts the answer states: expiry, creation, holder, name server. */
  readonly factCount: number;
  /** How many different labels have a value, whether or not this service knows the labels. */
  readonly labelCount: number;
  readonly statuses: readonly string[];
  /**
   * All statuses, also those of contacts and hosts. They contradict "not found", because an available name has neither
   * contacts nor hosts.
   */
  readonly allStatuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** The day on which the registry says that it releases the name. */
  readonly releasesAt: Date | null;
  /** The fields that decide the answer (name, statuses, dates), which are stored as evidence. */
  readonly usedFields: readonly WhoisField[];
  /** The fields from which the details of a registered name are read. */
  readonly recordFields: RecordFields;
}

/** The maximum length of a value. A longer value is a sentence, such as terms of use. */
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
  // `registrar expiry` comes last: in ICANN's format, this field has the registrar's own date, not the registry's.
  const expiryFields =
    [
      fieldsOfKind('expiry'),
      fieldsOfKind('status').flatMap((field) => expiryInStatus(field, rules.statusExpiry)),
      fieldsOfKind('renewal'),
      fieldsOfKind('registrar expiry'),
    ].find((fields) => fields.some(hasYear)) ?? [];
  const expiry = firstDate(expiryFields, order);
  const creationFields = fieldsOfKind('creation');
  const created = firstDate(creationFields, order);
  const release = firstDate(
    nonEmptyFields.filter(({ label }) => label === rules.releaseDate?.label),
    order,
  );
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
    releasesAt: release && after(release.date, (rules.releaseDate?.fromHour ?? 0) * HOUR),
    usedFields: [
      ...nameFields.slice(0, 1),
      ...statusFields.slice(0, 8),
      ...[created, expiry, release].flatMap((dated) => (dated ? [dated.field] : [])),
    ],
    recordFields: { all: nonEmptyFields, servers: fieldsOfKind('server'), statuses, dateOrder: order },
  };
}

/** Classifies each field once, because an answer has dozens of fields. */
function groupByKind(fields: readonly WhoisField[]): (kind: FieldKind) => readonly WhoisField[] {
  const groups = Map.groupBy(fields, classifyField);
  return (kind) => groups.get(kind) ?? [];
}

/** Whether the value has a year. A date shows a registration, even if its format is unknown. */
function hasYear({ value }: WhoisField): boolean {
  return (
    value.length <= MAX_VALUE_LENGTH &&
    /(?<!\d)(?:[12]\d{3}|9999)(?:\d{4}|\d{10})?(?!\d)|^\d{1,2}-\p{L}{3}-\d\d\b/u.test(value)
  );
}

/** Whether a value is neither empty nor a placeholder. */
export function hasContent(value: string): boolean {
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

/** Whether a short text (`information about @`) or a status line contains `@`, which stands for the queried name. */
function isMention(words: string): boolean {
  const tokens = words.split(' ');
  return tokens.includes('@') && (tokens.length <= 6 || /^(?:\w+ )?status: /.test(words));
}

/** Returns the statuses in the block of the name, or else all statuses. Contacts and hosts have statuses too. */
function statusFieldsOfName(fields: readonly WhoisField[], block: number | undefined): readonly WhoisField[] {
  const own = fields.filter((field) => field.block === block);
  return own.length > 0 ? own : fields;
}

/** Splits `ok / autoRenewPeriod`, `a, b`, `220 Available`, `ok - Normal state.`, `serverHold (by court order)`. */
function parseStatuses(value: string): string[] {
  return value
    .replace(/https?:\S*/g, '')
    .replace(/\([^)]*\)?/g, '')
    .replace(/, and may be available\b.*$/i, '')
    .split(/\s\/\s|,|;|\s-\s.*$|\s-$/)
    .map((part) => normalizeWhoisStatus(part.trim().slice(0, 100)))
    .filter((status) => status !== '');
}

/** Returns the first date. Prefers a date of the same day that includes a time. */
function firstDate(fields: readonly WhoisField[], order: DateOrder | null) {
  const dated = fields.flatMap((field) => {
    const date = parseWhoisDate(field.value, order);
    return date ? [{ field, date }] : [];
  });
  const [first] = dated;
  const isSameDay = ({ date }: { date: Date }) =>
    first && !isMidnight(date) && Math.abs(date.getTime() - first.date.getTime()) < DAY;
  return first && isMidnight(first.date) ? (dated.find(isSameDay) ?? first) : (first ?? null);
}

function isMidnight(date: Date): boolean {
  return date.getTime() % DAY === 0;
}

/** The fields from which the details of a registered name are read, without empty fields. */
export interface RecordFields {
  readonly all: readonly WhoisField[];
  readonly servers: readonly WhoisField[];
  readonly statuses: readonly string[];
  readonly dateOrder: DateOrder | null;
}

const REGISTRAR_LABELS = [
  'registrar',
  'sponsoring registrar',
  'registrar name',
  'authorized agency',
  'current registar',
];
const REGISTRAR_ID_LABELS = ['registrar iana id', 'sponsoring registrar iana id'];
const DNSSEC_LABELS = ['dnssec', 'dnssec status'];
const DS_LABELS = [
  'dnssec ds data',
  'dnssec ds records',
  'ds rdata',
  'ds list',
  'dsrecord',
  'ds record',
  'ds data',
  'ds',
];
const TRANSFER_LABELS = [
  'last transferred date',
  'last transferred',
  'last transfer date',
  'last transfer',
  'transferred',
];
const READ = new Set([REGISTRAR_LABELS, REGISTRAR_ID_LABELS, DNSSEC_LABELS, DS_LABELS, TRANSFER_LABELS].flat());

/** Matches labels whose value is not a server's name: `name server ip`, `name server handle`, AFNIC's `ns-list`. */
const ABOUT_SERVER = /\b(?:ipv?[46]?|address|handle|status|stat|id|sync|list|organi[sz]ation)\b/;
const UNSIGNED = /^(?:unsigned|not signed|no|n|inactive|disabled|false|off)(?=$|[\s,;(])/i;
/** Matches text after the registrar's name: its tag at Nominet, its web site. */
const AFTER_NAME = /\s*(?:\[Tag\s*=.*|\(?\s*https?:\/\/.*)$/i;
const NO_REGISTRAR = /^no registrar\b/i;

/**
 * Reads the details of a name. A label without a value means "unknown", not "none", because some registries always
 * print all labels.
 */
export function parseWhoisRegistrationRecord({ all, servers, statuses, dateOrder }: RecordFields): RegistrationRecord {
  const byLabel = Map.groupBy(
    all.filter(({ label }) => READ.has(label)),
    ({ label }) => label,
  );
  const find = (labels: readonly string[]) => {
    const fields = labels.map((label) => byLabel.get(label)).find((found) => found) ?? [];
    return fields.map(({ value }) => value);
  };
  const [name] = find(REGISTRAR_LABELS);
  const [transfer] = find(TRANSFER_LABELS);
  return toRegistrationRecord({
    nameservers: parseServers(servers),
    registrar: {
      name: name === undefined ? null : toRegistrarName(name),
      ianaId: find(REGISTRAR_ID_LABELS)[0] ?? null,
    },
    statuses,
    ds: parseDelegationSigners(find(DNSSEC_LABELS), find(DS_LABELS)),
    lastTransferAt: transfer ? parseWhoisDate(transfer, dateOrder) : null,
  });
}

/** Returns null for Nominet's sentence that there is no registrar. */
function toRegistrarName(value: string): string | null {
  return NO_REGISTRAR.test(value) ? null : detach(value.replace(AFTER_NAME, ''));
}

/** Reads lines with one or several servers. At .dk, a `DNS` line names the domain, not a server. */
function parseServers(fields: readonly WhoisField[]): readonly string[] | null {
  const known = fields.filter(({ label }) => !ABOUT_SERVER.test(label));
  const others = known.filter(({ label }) => label !== 'dns');
  const names = others.length > 0 ? others : known;
  if (names.length === 0 || isCut(names)) return null;
  const hosts = names.map(({ value }) => hostsIn(value));
  return hosts.every((each) => each !== null) && hosts.some(({ length }) => length > 0) ? hosts.flat() : null;
}

/** Returns a line's host names; an empty list if the line has only IP addresses; null for any other line. */
function hostsIn(value: string): readonly string[] | null {
  const tokens = value.split(/[\s,;()[\]]+/);
  const hosts = tokens.flatMap((token) => (token.includes('.') ? (normalizeHostName(token) ?? []) : []));
  return hosts.length > 0 || tokens.every((token) => /^[\d.]*$|:/.test(token)) ? hosts.map(detach) : null;
}

function parseDelegationSigners(dnssec: readonly string[], values: readonly string[]): readonly DsRecord[] | null {
  const isUnsigned = dnssec.length > 0 && dnssec.every((value) => UNSIGNED.test(value));
  if (values.length === 0) return isUnsigned ? [] : null;
  if (isUnsigned || values.length >= MAX_LINES_BELOW) return null;
  const records = values.map(parseDsRecord);
  return records.every((record) => record !== null) ? records : null;
}

/** Whether values may be missing, because the answer has too many or one is too long. */
function isCut(fields: readonly WhoisField[]): boolean {
  const values = new Set(fields.map(({ value }) => value));
  return values.size >= MAX_LINES_BELOW || fields.some(({ value }) => value.length > MAX_RECORD_VALUE_LENGTH);
}

const MAX_RECORD_VALUE_LENGTH = 500;

/** Copies the text: a substring would keep the whole answer in memory. */
function detach(text: string): string {
  return Buffer.from(text).toString();
}
