import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../../src/kernel/identifier.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { PublishEvents } from '../../../../src/notifications/events/publish-events.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());

const channelsWithDelivery = async (eventId: string) => {
  const rows = await notifications.rows('select channel_id from deliveries where event_id = $1', [eventId]);
  return rows.map((row) => row['channel_id']).sort();
};

describe('publishing events', () => {
  it('stores the event, and a delivery for each active channel of its account', async () => {
    const account = await notifications.service.openAccount();
    const mine = [await notifications.openChannel('a', account.key), await notifications.openChannel('b', account.key)];
    await notifications.openChannel('of another account');
    const entry_id = newId('wl');
    const event = anEvent({ entry_id, domain_unicode: 'münchen.example' }, { accountId: account.id });
    await notifications.happens(event);
    const [row] = await notifications.rows('select * from events where id = $1', [event.id]);
    expect(row).toMatchObject({ account_id: account.id, type: 'watchlist.available', entry_id });
    const timestamp = event.occurredAt.toISOString();
    expect(row?.['body']).toBe(JSON.stringify({ id: event.id, type: event.type, timestamp, data: event.payload }));
    expect(await channelsWithDelivery(event.id)).toEqual(mine.sort());
  });

  it('creates deliveries only for active channels whose type and tag filters match', async () => {
    const account = await notifications.service.openAccount();
    const [all, drops, tagged, off] = [
      await notifications.openChannel('all', account.key),
      await notifications.openChannel('drops', account.key),
      await notifications.openChannel('tagged', account.key),
      await notifications.openChannel('off', account.key),
    ];
    await notifications.rows(`update notification_channels set event_types = '{watchlist.available}' where id = $1`, [
      drops,
    ]);
    await notifications.rows(`update notification_channels set tags = '{brand,own}' where id = $1`, [tagged]);
    await notifications.rows('update notification_channels set active = false where id = $1', [off]);
    const of = { accountId: account.id };
    const drop = anEvent({ tags: ['other'] }, of);
    const phase = anEvent({ tags: ['own'] }, { ...of, type: 'watchlist.phase_changed' });
    await notifications.happens(drop, phase);
    expect(await channelsWithDelivery(drop.id)).toEqual([all, drops].sort());
    expect(await channelsWithDelivery(phase.id)).toEqual([all, tagged].sort());
  });

  it('stores an event that is meant only for the event list, but creates no delivery', async () => {
    const account = await notifications.service.openAccount();
    await notifications.openChannel('all', account.key);
    const event = { ...anEvent({}, { accountId: account.id }), isShownOnly: true as const };
    await notifications.happens(event);
    expect(await notifications.rows('select type from events where id = $1', [event.id])).toHaveLength(1);
    expect(await channelsWithDelivery(event.id)).toEqual([]);
  });

  it('is undone if the change that caused the event fails', async () => {
    await notifications.openChannel('undone');
    const event = anEvent({}, { accountId: notifications.service.account.id });
    const failing = notifications.of(UnitOfWork).run(async () => {
      await notifications.of(PublishEvents).run([event]);
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect(await notifications.rows('select 1 from events where id = $1', [event.id])).toEqual([]);
    expect(await channelsWithDelivery(event.id)).toEqual([]);
  });
});
