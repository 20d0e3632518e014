import { type DomainEvent, createDomainEvent } from '../../../src/kernel/domain-event.js';
import type { Message } from '../../../src/notifications/domain/channel-sender.js';
import { NotificationEvent } from '../../../src/notifications/domain/notification-event.js';
import { SigningSecret } from '../../../src/notifications/domain/signing-secret.js';
import type { WatchlistEventData } from '../../../src/watchlist/language.js';

export const MONDAY = new Date('2026-11-23T09:00:00.000Z');

/** A name that dropped, unless `changes` say otherwise. */
export function aChange(changes: Partial<WatchlistEventData> = {}): WatchlistEventData {
  return {
    entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    domain: 'lapsed.example',
    domain_unicode: 'lapsed.example',
    status: 'available',
    previous_status: 'pending_delete',
    phase: 'available',
    previous_phase: 'pending_delete',
    move: 'dropped',
    change_seq: 7,
    expires_at: null,
    source: 'rdap',
    observed_at: '2026-11-23T08:59:00.000Z',
    confirmed_at: '2026-11-23T09:00:00.000Z',
    threshold_days: null,
    tags: [],
    note: null,
    purpose: 'monitor',
    ...changes,
  };
}

export function anEvent(
  changes: Partial<WatchlistEventData> = {},
  { type = 'watchlist.available', accountId = 'acc_1', at = MONDAY } = {},
): DomainEvent<WatchlistEventData> {
  return createDomainEvent(type, accountId, at, aChange(changes));
}

/** The message that a sender has to send. */
export function aMessage(
  target: string,
  { event = anEvent(), timeoutMs = 59_000, attempt = 1, headers = {} } = {},
): Message {
  return {
    deliveryId: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    attempt,
    sentAt: new Date(),
    channel: {
      id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      accountId: 'acc_1',
      target,
      secrets: [SigningSecret.generate()],
      credential: null,
      headers,
    },
    event: NotificationEvent.fromDomainEvent(event),
    timeoutMs,
  };
}
