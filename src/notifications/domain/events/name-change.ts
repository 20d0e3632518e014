import type { RecordChangedEventData, WatchlistEventData } from '../../../watchlist/language.js';

/** Which watched name an event is about, and what happened to it. */
export interface NameChange extends Pick<
  WatchlistEventData,
  | 'entry_id'
  | 'domain'
  | 'domain_unicode'
  | 'status'
  | 'previous_status'
  | 'phase'
  | 'previous_phase'
  | 'move'
  | 'threshold_days'
> {
  /** What changed in the registration record; null where it is another event. */
  readonly kind: RecordChangedEventData['kind'] | null;
}

/** @returns null for events about channels */
export function readNameChange(body: string): NameChange | null {
  const { data } = JSON.parse(body) as { data?: Partial<RecordChangedEventData> };
  return data?.domain === undefined ? null : toNameChange(data as WatchlistEventData & Partial<RecordChangedEventData>);
}

function toNameChange(data: WatchlistEventData & Partial<RecordChangedEventData>): NameChange {
  const { entry_id, domain, domain_unicode, status, previous_status, phase, previous_phase } = data;
  const { move, threshold_days, kind = null } = data;
  return {
    ...{ entry_id, domain, domain_unicode, status, previous_status, phase, previous_phase },
    ...{ move, threshold_days, kind },
  };
}
