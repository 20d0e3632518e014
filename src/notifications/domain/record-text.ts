import type {
  DriftChangedEventData,
  ExpectedMember,
  ExpectedRecord,
  RecordChangedEventData,
} from '../../watchlist/language.js';
import { toInstantText } from './date-text.js';

const ZERO_WIDTH_SPACE = '\u200b';

/** Keeps mail programs and chats from making links of addresses that a stranger wrote into a registration record. */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}

const MAX_SHOWN_ITEMS = 8;

function toList(items: readonly string[]): string {
  const hidden = items.length - MAX_SHOWN_ITEMS;
  const shown = hidden > 0 ? [...items.slice(0, MAX_SHOWN_ITEMS), `${hidden} more`] : items;
  return shown.length === 0 ? 'none' : shown.join(', ');
}

type Kind = RecordChangedEventData['kind'];
type Value = RecordChangedEventData['after'];

const RECORD: Readonly<Record<Kind, { readonly label: string; readonly predicate: string }>> = {
  nameservers: { label: 'Name servers', predicate: 'has other name servers' },
  registrar: { label: 'Registrar', predicate: 'has another registrar' },
  statuses: { label: 'Registry statuses', predicate: 'has other registry statuses' },
  ds: { label: 'DS records', predicate: 'has other DS records' },
  last_transfer: { label: 'Last transfer', predicate: 'was transferred' },
};

export function isRecordChange(data: object): data is RecordChangedEventData {
  return 'kind' in data && 'before' in data && 'after' in data;
}

export function toRecordPredicate({ kind }: RecordChangedEventData): string {
  return RECORD[kind].predicate;
}

export function toRecordAdvice({ kind, purpose }: RecordChangedEventData): string[] {
  if (purpose !== 'own') return [];
  if (kind === 'statuses') return ['If you did not do this, see at your registrar whether its locks are still set.'];
  return ['If you did not do this, contact your registrar at once: the name may have been taken over.'];
}

export function toRecordFacts({ kind, before, after }: RecordChangedEventData) {
  const label = RECORD[kind].label;
  return [
    { label: `${label} before`, value: breakLinks(toText(before)) },
    { label: `${label} now`, value: breakLinks(toText(after)) },
  ];
}

function toText(value: Value): string {
  if (typeof value === 'string') return toInstantText(value) ?? value; // the date of a transfer
  if ('iana_id' in value)
    return [value.name, value.iana_id === null ? null : `IANA ${value.iana_id}`]
      .filter((part) => part !== null)
      .join(', ');
  const items = value.map((item) =>
    typeof item === 'string' ? item : `${item.key_tag} ${item.algorithm} ${item.digest_type} ${item.digest}`,
  );
  return toList(items);
}

const MEMBER_LABELS: Readonly<Record<ExpectedMember, string>> = {
  nameservers: 'Name servers',
  registrar_id: 'Registrar',
  locked: 'Transfer lock',
};

export function isDriftChange(data: object): data is DriftChangedEventData {
  return 'drift' in data;
}

export function toDriftPredicate({ drift }: DriftChangedEventData): string {
  if (drift.length === 0) return 'is as expected again';
  return `is not as expected: ${drift.map((member) => MEMBER_LABELS[member].toLowerCase()).join(', ')}`;
}

export function toDriftAdvice({ drift, purpose }: DriftChangedEventData): string[] {
  if (drift.length === 0) return [];
  return purpose === 'own'
    ? ['If you did not do this, contact your registrar at once. If you did, change what you expect.']
    : ['It differs from what you noted as expected.'];
}

export function toDriftFacts({ drift, previous_drift: before, expected, actual }: DriftChangedEventData) {
  return [...new Set([...drift, ...before])].flatMap((member) => [
    { label: `${MEMBER_LABELS[member]} expected`, value: breakLinks(toMemberText(member, expected)) },
    { label: `${MEMBER_LABELS[member]} now`, value: breakLinks(toMemberText(member, actual)) },
  ]);
}

type ExpectedOrActual = { readonly [Member in ExpectedMember]?: ExpectedRecord[Member] | null };

function toMemberText(member: ExpectedMember, values: ExpectedOrActual): string {
  const value = values[member] ?? null;
  if (value === null) return 'not published by its registry';
  if (typeof value === 'boolean') return value ? 'locked' : 'not locked';
  if (typeof value === 'string') return `IANA ${value}`;
  return toList(value);
}
