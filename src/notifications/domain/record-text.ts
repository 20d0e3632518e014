import type { RecordChangedEventData } from '../../watchlist/language.js';
import { breakLinks } from './break-links.js';
import { toInstantText } from './date-text.js';

type Kind = RecordChangedEventData['kind'];
type Value = RecordChangedEventData['after'];

const RECORD: Readonly<Record<Kind, { readonly label: string; readonly predicate: string }>> = {
  nameservers: { label: 'Name servers', predicate: 'has other name servers' },
  registrar: { label: 'Registrar', predicate: 'has another registrar' },
  statuses: { label: 'Registry statuses', predicate: 'has other registry statuses' },
  ds: { label: 'DS records', predicate: 'has other DS records' },
  last_transfer: { label: 'Last transfer', predicate: 'was transferred' },
};
const MAX_SHOWN_ITEMS = 8;

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
  const hidden = items.length - MAX_SHOWN_ITEMS;
  const shown = hidden > 0 ? [...items.slice(0, MAX_SHOWN_ITEMS), `${hidden} more`] : items;
  return shown.length === 0 ? 'none' : shown.join(', ');
}
