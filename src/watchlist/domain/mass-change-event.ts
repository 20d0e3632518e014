import type { RecordChange } from '../../domains/language.js';
import { createDomainEvent, type DomainEvent } from '../../kernel/domain-event.js';
import type { Intent, MassChangeEventData } from './watch-events.js';

/** The same change of many names, which were not sent one by one. */
export interface MassChangeMessage extends Pick<RecordChange, 'kind' | 'after'> {
  readonly intent: Intent;
  readonly tags: readonly string[];
  readonly names: number;
  /** The first of them. */
  readonly listed: readonly string[];
  readonly since: Date;
}

export function massChangeEvent(
  accountId: string,
  { kind, after, names, listed, since, tags, intent }: MassChangeMessage,
  now: Date,
): DomainEvent<MassChangeEventData> {
  const period = { since: since.toISOString(), until: now.toISOString() };
  return createDomainEvent('watchlist.mass_change', accountId, now, {
    ...{ kind, after, names, domains: listed },
    ...period,
    ...{ tags, intent },
  });
}
