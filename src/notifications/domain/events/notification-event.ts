import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { Delivery } from '../deliveries/delivery.js';

/** What everybody who is told of an event is told: the same bytes on every channel, attempt and replay. */
export class NotificationEvent {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly type: string,
    /** The watchlist entry it is about, if any. */
    readonly entryId: string | null,
    /** JSON text, made once. Parsing and writing it anew could order or escape it differently. */
    readonly body: string,
    readonly createdAt: Date,
  ) {}

  static fromDomainEvent(event: DomainEvent): NotificationEvent {
    const { id, type, accountId, occurredAt, payload } = event;
    const body = JSON.stringify({ id, type, timestamp: occurredAt.toISOString(), data: payload });
    const { entry_id } = payload as { entry_id?: unknown };
    return new NotificationEvent(id, accountId, type, typeof entry_id === 'string' ? entry_id : null, body, occurredAt);
  }
}

/**
 * A test is made once and proves nothing about the channel; that another channel was disabled is told on top of
 * something else. Neither makes a channel inactive.
 */
export function affectsChannelHealth(type: string): boolean {
  return !type.startsWith('channel.');
}

/** A test that failed has told what it was asked for. */
export function hasSingleAttempt(type: string): boolean {
  return type === 'channel.test';
}

/** The tags of the entry that an event is about; a channel with tags wants only events that share one. */
export function getEntryTags(event: DomainEvent): readonly string[] {
  const { tags } = event.payload as { tags?: unknown };
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

/** All events, inside a unit of work. */
export abstract class NotificationEventRepository {
  /** Writes the events and the deliveries of them. */
  abstract publish(events: readonly NotificationEvent[], deliveries: readonly Delivery[]): Promise<void>;
  /** To read only. */
  abstract findByIds(ids: readonly string[]): Promise<NotificationEvent[]>;
  /**
   * Forgets events from before this instant, with their deliveries, and remembers for readers where the gap ends. An
   * event that is still on its way stays.
   * @returns how many, at most `limit`
   */
  abstract purge(before: Date, limit: number): Promise<number>;
}
