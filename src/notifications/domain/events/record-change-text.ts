import type { MassChangeEventData, RecordChangedEventData } from '../../../watchlist/language.js';
import { breakLinks } from './printable-line.js';

type Kind = RecordChangedEventData['kind'];
type Value = RecordChangedEventData['after'];

const PREDICATES: Readonly<Record<Kind, string>> = {
  nameservers: 'has other name servers',
  registrar: 'has another registrar',
  statuses: 'has other registry statuses',
  ds: 'has other DS records',
  last_transfer: 'was transferred',
};
const PLURAL_PREDICATES: Readonly<Record<Kind, string>> = {
  nameservers: 'have other name servers',
  registrar: 'have another registrar',
  statuses: 'have other registry statuses',
  ds: 'have other DS records',
  last_transfer: 'were transferred',
};
const LABELS: Readonly<Record<Kind, string>> = {
  nameservers: 'Name servers',
  registrar: 'Registrar',
  statuses: 'Registry statuses',
  ds: 'DS records',
  last_transfer: 'Last transfer',
};
const MASS_ADVICE = 'Further names with the same change come in one message when the hour is over.';
/** In a text; the event has more. */
const MAX_SHOWN_NAMES = 50;
/** Of lists, which may be long. */
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
    headline: isAlone ? `${first} ${PREDICATES[kind]}` : `${first} and ${names - 1} more ${PLURAL_PREDICATES[kind]}`,
    advice: [
      ...toOwnersAdvice(change),
      'These names were not sent one by one: more than a few changed in the same way. ' +
        'GET /v1/events?type=watchlist.record_changed lists each of them.',
    ],
    facts: [
      { label: `${LABELS[kind]} now`, value: breakLinks(toText(after)) },
      { label: 'Names', value: [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ') },
      { label: 'Changed', value: `${since} to ${until}` },
    ],
  };
}

export function toRecordPredicate({ kind, mass_change: mass }: RecordChangedEventData): string {
  return mass ? `${PREDICATES[kind]}, like ${mass.others} other names` : PREDICATES[kind];
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
  const label = LABELS[kind];
  return [
    { label: `${label} before`, value: breakLinks(toText(before)) },
    { label: `${label} now`, value: breakLinks(toText(after)) },
    ...(mass ? [{ label: 'Same change', value: `${mass.others} other names since ${mass.since}` }] : []),
  ];
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
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
