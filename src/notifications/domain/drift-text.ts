import type { DriftChangedEventData, ExpectedMember, ExpectedRecord } from '../../watchlist/language.js';
import { breakLinks } from './break-links.js';

const LABELS: Readonly<Record<ExpectedMember, string>> = {
  nameservers: 'Name servers',
  registrar_id: 'Registrar',
  locked: 'Transfer lock',
};

export function isDriftChange(data: object): data is DriftChangedEventData {
  return 'drift' in data;
}

export function toDriftPredicate({ drift }: DriftChangedEventData): string {
  if (drift.length === 0) return 'is as expected again';
  return `is not as expected: ${drift.map((member) => LABELS[member].toLowerCase()).join(', ')}`;
}

export function toDriftAdvice({ drift, purpose }: DriftChangedEventData): string[] {
  if (drift.length === 0) return [];
  return purpose === 'own'
    ? ['If you did not do this, contact your registrar at once. If you did, change what you expect.']
    : ['It differs from what you noted as expected.'];
}

export function toDriftFacts({ drift, previous_drift: before, expected, actual }: DriftChangedEventData) {
  return [...new Set([...drift, ...before])].flatMap((member) => [
    { label: `${LABELS[member]} expected`, value: breakLinks(toText(member, expected)) },
    { label: `${LABELS[member]} now`, value: breakLinks(toText(member, actual)) },
  ]);
}

const MAX_SHOWN_ITEMS = 8;

type Values = { readonly [Member in ExpectedMember]?: ExpectedRecord[Member] | null };

function toText(member: ExpectedMember, values: Values): string {
  const value = values[member] ?? null;
  if (value === null) return 'not published by its registry';
  if (typeof value === 'boolean') return value ? 'locked' : 'not locked';
  if (typeof value === 'string') return `IANA ${value}`;
  const hidden = value.length - MAX_SHOWN_ITEMS;
  const shown = hidden > 0 ? [...value.slice(0, MAX_SHOWN_ITEMS), `${hidden} more`] : value;
  return shown.length === 0 ? 'none' : shown.join(', ');
}
