import type { DomainName, EvidenceSource, Lifecycle } from '../../domains/language.js';
import { type DomainEvent, domainEvent } from '../../kernel/domain-event.js';
import type { Move } from './move.js';

/** What a watcher wants the name for. It sets the words of messages, never a status. */
export type Intent = 'own' | 'acquire' | 'monitor';

/** The `data` of every `watchlist.*` event, as receivers get it. */
export interface WatchlistEventData {
  readonly entry_id: string;
  readonly domain: string;
  readonly domain_unicode: string;
  readonly status: string;
  readonly previous_status: string;
  readonly phase: string;
  readonly previous_phase: string;
  readonly move: Move | null;
  readonly change_seq: number;
  readonly expires_at: string | null;
  readonly source: EvidenceSource;
  /** The first and the last proof of the new state. */
  readonly observed_at: string;
  readonly confirmed_at: string;
  readonly threshold_days: number | null;
  readonly tags: readonly string[];
  readonly intent: Intent;
}

/** The entry after its move, as the event tells it. */
export interface MovedEntry extends Lifecycle {
  readonly id: string;
  readonly accountId: string;
  readonly domain: DomainName;
  readonly changeSeq: number;
  readonly tags: readonly string[];
  readonly intent: Intent;
}

/** What proved the move. */
export interface Confirmation {
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  readonly confirmedAt: Date;
  readonly expiresAt: Date | null;
}

export function entryMoved(
  entry: MovedEntry,
  from: Lifecycle,
  move: Move,
  proof: Confirmation,
  now: Date,
): DomainEvent<WatchlistEventData> {
  return domainEvent(typeOf(entry, from, move), entry.accountId, now, {
    entry_id: entry.id,
    domain: entry.domain.ascii,
    domain_unicode: entry.domain.unicode,
    status: entry.status,
    previous_status: from.status,
    phase: entry.phase,
    previous_phase: from.phase,
    move,
    change_seq: entry.changeSeq,
    expires_at: proof.expiresAt?.toISOString() ?? null,
    source: proof.source,
    observed_at: proof.observedAt.toISOString(),
    confirmed_at: proof.confirmedAt.toISOString(),
    threshold_days: null,
    tags: entry.tags,
    intent: entry.intent,
  });
}

/** Inside the service only: receivers are told nothing of it. */
export function entryRemoved(id: string, accountId: string, now: Date): DomainEvent<{ readonly entry_id: string }> {
  return domainEvent('entry.removed', accountId, now, { entry_id: id });
}

/** One type for one meaning; a name caught anew is a change of status even where the word stays the same. */
function typeOf(entry: Lifecycle, from: Lifecycle, move: Move): string {
  if (entry.status === 'available' && from.status !== 'available') return 'watchlist.available';
  if (entry.status !== from.status || move === 'caught') return 'watchlist.status_changed';
  return 'watchlist.phase_changed';
}
