import type { DomainEvent } from '../../kernel/domain-event.js';

/** An event as it is sent: the same bytes on every channel, attempt and replay. */
export class NotificationEvent {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly type: string,
    /** The watchlist entry; null for events about channels. */
    readonly entryId: string | null,
    /** JSON, serialized once: a second serialization could differ in order or escapes. */
    readonly body: string,
    readonly createdAt: Date,
    /** The W3C trace in which the event was caused, if any. Never sent. */
    readonly traceparent: string | null,
  ) {}

  static fromDomainEvent(event: DomainEvent, traceparent: string | null = null): NotificationEvent {
    const { id, type, accountId, occurredAt, payload } = event;
    const body = JSON.stringify({ id, type, timestamp: occurredAt.toISOString(), data: payload });
    const { entry_id } = payload as { entry_id?: unknown };
    const entryId = typeof entry_id === 'string' ? entry_id : null;
    return new NotificationEvent(id, accountId, type, entryId, body, occurredAt, traceparent);
  }
}

/** Whether failures count against the channel. Failed tests and failed news about other channels do not. */
export function affectsChannelHealth(type: string): boolean {
  return !type.startsWith('channel.');
}

/** A test has a single attempt, because its failure is its result. */
export function hasSingleAttempt(type: string): boolean {
  return type === 'channel.test';
}

/**
 * Whether channels without a type filter get the event. Changes of a record concern the owner of a name only. A change
 * that another event also tells (`part_of_move`) is left out.
 */
export function isSentByDefault({ type, payload }: DomainEvent): boolean {
  if (type !== 'watchlist.record_changed') return true;
  const { purpose, part_of_move } = payload as { purpose?: unknown; part_of_move?: unknown };
  return purpose === 'own' && part_of_move !== true;
}

/** Returns the tags of the entry, for channels that filter by tag. */
export function getEntryTags(event: DomainEvent): readonly string[] {
  const { tags } = event.payload as { tags?: unknown };
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
