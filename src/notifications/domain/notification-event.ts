import type { DomainEvent } from '../../kernel/domain-event.js';

/** An event as it is sent. The bytes are the same on every channel and at every attempt. */
export class NotificationEvent {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly type: string,
    /** The watchlist entry. null for events about channels, and for summaries. */
    readonly entryId: string | null,
    /** JSON, serialized only once, so that every attempt sends the same bytes. */
    readonly body: string,
    readonly createdAt: Date,
    /** The W3C trace context of the request or check that led to the event. Receivers never get it. */
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

/** Whether a failed delivery counts towards disabling the channel. Events about channels do not count. */
export function affectsChannelHealth(type: string): boolean {
  return !type.startsWith('channel.');
}

/**
 * A channel test has only one attempt, because one failure already shows the account that the channel does not work.
 */
export function hasSingleAttempt(type: string): boolean {
  return type === 'channel.test';
}

/**
 * Whether channels without a type filter get the event. Record changes are sent only for own names, and only if no
 * status or phase event reports the same change.
 */
export function isSentByDefault({ type, payload }: DomainEvent): boolean {
  if (type !== 'watchlist.record_changed') return true;
  const { purpose, part_of_move } = payload as { purpose?: unknown; part_of_move?: unknown };
  return purpose === 'own' && part_of_move !== true;
}

export function getEntryTags(event: DomainEvent): readonly string[] {
  const { tags } = event.payload as { tags?: unknown };
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
