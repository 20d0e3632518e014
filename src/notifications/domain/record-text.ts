import type { MassChangeEventData, RecordChangedEventData } from '../../watchlist/language.js';
import { breakLinks } from './break-links.js';
import { toInstantText } from './date-text.js';

type Kind = RecordChangedEventData['kind'];
type Value = RecordChangedEventData['after'];

/** What an event says of one name, and of many. */
const RECORD: Readonly<Record<Kind, { readonly label: string; readonly one: string; readonly many: string }>> = {
  nameservers: { label: 'Name servers', one: 'has other name servers', many: 'have other name servers' },
  registrar: { label: 'Registrar', one: 'has another registrar', many: 'have another registrar' },
  statuses: { label: 'Registry statuses', one: 'has other registry statuses', many: 'have other registry statuses' },
  ds: { label: 'DS records', one: 'has other DS records', many: 'have other DS records' },
  last_transfer: { label: 'Last transfer', one: 'was transferred', many: 'were transferred' },
};
const MASS_ADVICE = 'Further names with the same change come in one message when the hour is over.';
/** Limits a text; the event has more. */
const MAX_SHOWN_NAMES = 50;
/** Limits lists, which may be long. */
const MAX_SHOWN_ITEMS = 8;

/** Whether the data of an event is that of `watchlist.record_changed`. */
export function isRecordChange(data: object): data is RecordChangedEventData {
  return 'kind' in data && 'before' in data && 'after' in data;
}

export function isMassChange(data: object): data is MassChangeEventData {
  return 'domains' in data;
}

/** Starts with the first name, like all headlines. */
export function toMassChangeText(change: MassChangeEventData) {
  const { kind, after, names, domains, since, until } = change;
  const shown = domains.slice(0, MAX_SHOWN_NAMES);
  const more = names - shown.length;
  const [first = 'Names', ...others] = domains;
  const isAlone = others.length === 0 && names <= 1;
  return {
    headline: isAlone ? `${first} ${RECORD[kind].one}` : `${first} and ${names - 1} more ${RECORD[kind].many}`,
    advice: [
      ...toOwnersAdvice(change),
      'These names were not sent one by one, since more than a few changed in the same way. The events of the account list each of them.',
    ],
    facts: [
      { label: `${RECORD[kind].label} now`, value: breakLinks(toText(after)) },
      { label: 'Names', value: [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ') },
      { label: 'Changed', value: `between ${toInstantText(since) ?? since} and ${toInstantText(until) ?? until}` },
    ],
  };
}

export function toRecordPredicate({ kind, mass_change: mass }: RecordChangedEventData): string {
  return mass ? `${RECORD[kind].one}, like ${mass.others} other names` : RECORD[kind].one;
}

export function toRecordAdvice(change: RecordChangedEventData): string[] {
  return [...toOwnersAdvice(change), ...(change.mass_change ? [MASS_ADVICE] : [])];
}

function toOwnersAdvice({ kind, intent }: Pick<RecordChangedEventData, 'kind' | 'intent'>): string[] {
  if (intent !== 'own') return [];
  if (kind === 'statuses') return ['If you did not do this, see at your registrar whether its locks are still set.'];
  return ['If you did not do this, contact your registrar at once: the name may have been taken over.'];
}

export function toRecordFacts({ kind, before, after, mass_change: mass }: RecordChangedEventData) {
  const label = RECORD[kind].label;
  return [
    { label: `${label} before`, value: breakLinks(toText(before)) },
    { label: `${label} now`, value: breakLinks(toText(after)) },
    ...(mass
      ? [{ label: 'Same change', value: `${mass.others} other names since ${toInstantText(mass.since) ?? mass.since}` }]
      : []),
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
  const hidden = items.length - MAX_SHOWN_ITEMS;
  const shown = hidden > 0 ? [...items.slice(0, MAX_SHOWN_ITEMS), `${hidden} more`] : items;
  return shown.length === 0 ? 'none' : shown.join(', ');
}
