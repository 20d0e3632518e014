import { describe, expect, it } from '@jest/globals';
import { NotificationEvent, getEntryTags } from '../../../../src/notifications/domain/notification-event.js';
import { aChange, anEvent } from '../../../support/builders/notification-events.js';

describe('a notification event', () => {
  it('has a JSON body of id, type, timestamp and data, in this order', () => {
    const event = anEvent({ domain_unicode: 'münchen.example' });
    const { body } = NotificationEvent.fromDomainEvent(event);
    const data = JSON.stringify(aChange({ domain_unicode: 'münchen.example' }));
    expect(body).toBe(
      `{"id":"${event.id}","type":"watchlist.available","timestamp":"2026-11-23T09:00:00.000Z","data":${data}}`,
    );
  });

  it('has the id of its watchlist entry, or null if it is about no entry', () => {
    expect(NotificationEvent.fromDomainEvent(anEvent()).entryId).toBe('wl_01jd6z0v8q3m4n5p6r7s8t9vwx');
    expect(NotificationEvent.fromDomainEvent({ ...anEvent(), payload: { message: 'x' } }).entryId).toBeNull();
  });

  it('has the tags of its watchlist entry, or no tags if it is about no entry', () => {
    expect(getEntryTags(anEvent({ tags: ['own', 'brand'] }))).toEqual(['own', 'brand']);
    expect(getEntryTags({ ...anEvent(), payload: {} })).toEqual([]);
  });

  it('has a body below 20 kB even with as many tags as an entry may have', () => {
    const tags = Array.from({ length: 20 }, () => '\u0001'.repeat(50)); // each character escapes to six
    expect(Buffer.byteLength(NotificationEvent.fromDomainEvent(anEvent({ tags })).body)).toBeLessThan(20_000);
  });
});
