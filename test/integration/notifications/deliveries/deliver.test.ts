import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { createDomainEvent } from '../../../../src/kernel/domain-event.js';
import { newId } from '../../../../src/kernel/identifier.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { Config } from '../../../../src/config/config.js';
import { DeliveriesService } from '../../../../src/notifications/deliveries/deliveries.service.js';
import { remainingLeaseMs } from '../../../../src/notifications/deliveries/send-message.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
let channel: string;
beforeAll(async () => {
  channel = await notifications.openChannel('receiver');
});
afterEach(async () => {
  notifications.sender.receive = () => accepted(200, null);
  await notifications.rows('update notification_channels set active = true, reason = null, first_failure_at = null');
  await notifications.rows('delete from events'); // and the deliveries with them
  await notifications.rows('delete from channel_leases');
});

const happen = (many: number) => notifications.happens(...Array.from({ length: many }, () => notifications.event()));
const theDelivery = async () => (await notifications.rows('select * from deliveries'))[0];
const theChannel = async () =>
  (await notifications.rows('select * from notification_channels where id = $1', [channel]))[0];
const attempts = () => notifications.rows('select * from delivery_attempts order by delivery_id, number');
const leases = () => notifications.rows('select * from channel_leases where token is not null');
const outcomes = async () => (await attempts()).map((attempt) => attempt['outcome']);

describe('a delivery', () => {
  it('is sent once, with the event’s own bytes, and its attempt is stored', async () => {
    await notifications.happens(notifications.event());
    expect(await notifications.deliverDue()).toBe(1);
    const [message] = await notifications.sender.sent.waitFor(1);
    const [event] = await notifications.rows('select * from events');
    expect(message).toMatchObject({ attempt: 1, channel: { id: channel, target: 'receiver', secrets: [] } });
    expect(message?.event).toMatchObject({ id: event?.['id'], body: event?.['body'] });
    expect(await theDelivery()).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(await leases()).toEqual([]);
    expect(await attempts()).toMatchObject([{ number: 1, outcome: 'ok', response_status: 200 }]);
    expect(await notifications.deliverDue()).toBe(0);
  });

  it('has its attempt stored before it is sent', async () => {
    await notifications.happens(notifications.event());
    notifications.sender.receive = async () => {
      expect(await attempts()).toMatchObject([{ number: 1, outcome: null, duration_ms: null }]);
      return accepted(200, null);
    };
    await notifications.deliverDue();
    expect(await outcomes()).toEqual(['ok']);
  });

  it('waits while no process knows the type of its channel', async () => {
    await notifications.happens(notifications.event());
    await notifications.rows(`update notification_channels set type = 'elsewhere'`);
    expect(await notifications.deliverDue()).toBe(0);
    expect(await theDelivery()).toMatchObject({ state: 'pending', attempts: 0, failures: 0 });
    expect([await leases(), await attempts(), await notifications.claim()]).toEqual([[], [], []]);
    await notifications.rows(`update notification_channels set type = 'scripted'`);
    await notifications.deliverDue();
    expect(await theDelivery()).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('is retried on the schedule until the receiver accepts it', async () => {
    await notifications.happens(notifications.event());
    notifications.sender.receive = () => failed('http_error', { responseStatus: 500, responseExcerpt: 'no' });
    await notifications.deliverDue();
    expect(await notifications.deliverDue()).toBe(0);
    notifications.advance(5 * SECOND);
    expect(await notifications.deliverDue()).toBe(1);
    notifications.sender.receive = () => accepted(204, null);
    notifications.advance(5 * MINUTE);
    await notifications.deliverDue();
    expect(await outcomes()).toEqual(['http_error', 'http_error', 'ok']);
    expect(await theDelivery()).toMatchObject({ state: 'delivered', next_attempt_at: null });
    expect(await theChannel()).toMatchObject({ first_failure_at: null });
  });
});

describe('a delivery that a worker has claimed', () => {
  it('belongs to only one of eight workers that claim at the same time', async () => {
    await happen(1);
    const claims = (await Promise.all(Array.from({ length: 8 }, () => notifications.claim()))).flat();
    expect(claims).toHaveLength(1);
  });

  it('counts as failed when the sender throws, but not as a failure of the channel', async () => {
    await notifications.happens(notifications.event());
    notifications.sender.receive = () => {
      throw new TypeError('a bug');
    };
    await expect(notifications.deliverDue()).rejects.toThrow('unexpectedly');
    expect(await outcomes()).toEqual(['connect']);
    expect(await theDelivery()).toMatchObject({ state: 'pending', attempts: 1, failures: 1 });
    expect(await theChannel()).toMatchObject({ first_failure_at: null });
    expect(await notifications.deliverDue()).toBe(0);
  });

  it('keeps the result of the worker that took over, and ignores the first worker’s', async () => {
    await notifications.happens(notifications.event());
    const [zombie] = await notifications.claim();
    if (!zombie) throw new Error('nothing was due');
    notifications.sender.receive = async () => {
      notifications.sender.receive = () => accepted(204, 'from the second');
      await notifications.endLeases();
      await notifications.deliverDue();
      return failed('http_error', { responseStatus: 500, responseExcerpt: 'from the zombie' });
    };
    await notifications.deliver(zombie);
    expect(await attempts()).toMatchObject([
      { number: 1, outcome: 'lost', response_excerpt: null },
      { number: 2, outcome: 'ok', response_excerpt: 'from the second' },
    ]);
    expect(await theDelivery()).toMatchObject({ state: 'delivered', failures: 0 });
    expect(await theChannel()).toMatchObject({ first_failure_at: null });
  });

  it.each(['disabled', 'paused'])(
    'gets the outcome "lost" if its process dies and the delivery is %s meanwhile',
    async (state) => {
      await happen(1);
      await notifications.claim();
      await notifications.rows(`update deliveries set state = '${state}', next_attempt_at = null`);
      expect([await notifications.claim(), await outcomes()]).toEqual([[], [null]]);
      await notifications.endLeases();
      expect([await notifications.claim(), await outcomes(), await leases()]).toEqual([[], ['lost'], []]);
    },
  );

  it('is attempted only for as long as the worker’s claim lasts', async () => {
    await happen(1);
    const [claim] = await notifications.claim();
    await notifications.database.query('select pg_sleep(0.5)');
    if (claim) await notifications.deliver(claim);
    const after = notifications.sender.sent.all.at(-1);
    expect(after?.deliveryId).toBe(claim?.started[0]?.delivery.id);
    const whole = remainingLeaseMs(notifications.of(Config).leaseSeconds, performance.now());
    expect(after?.timeoutMs).toBeLessThanOrEqual(whole - 500);
  });

  it('stays claimed in real time, even if the application’s clock jumps by 30 days', async () => {
    await happen(1);
    await notifications.claim();
    notifications.advance(30 * DAY);
    expect(await notifications.claim()).toEqual([]);
  });
});

describe('a receiver that answers 410', () => {
  const gone = () => failed('http_error', { responseStatus: 410, final: true });

  it('makes the delivery fail, disables the channel, and pauses the pending deliveries', async () => {
    await happen(6);
    const [batch] = await notifications.claim();
    if (!batch) throw new Error('nothing was due');
    expect(batch.started).toHaveLength(4);
    notifications.sender.receive = ({ deliveryId }) =>
      deliveryId === batch.started[0]?.delivery.id ? gone() : accepted(200, null);
    await notifications.deliver(batch);
    expect(await theChannel()).toMatchObject({ active: false, reason: 'gone' });
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1 order by 1');
    expect(states).toEqual([
      { state: 'delivered', n: 3 },
      { state: 'failed', n: 1 },
      { state: 'paused', n: 2 },
    ]);
    expect(await notifications.rows('select 1 from deliveries where next_attempt_at is not null')).toEqual([]);
  });

  it('leaves no delivery pending when it answers many attempts at once', async () => {
    await happen(20);
    let n = 0;
    notifications.sender.receive = () => ((n += 1) % 2 === 0 ? accepted(200, null) : gone());
    await notifications.deliverDue();
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1 order by 1');
    expect(states.map(({ state }) => state)).not.toContain('pending');
    expect(await leases()).toEqual([]);
  });

  it('leaves no delivery pending when watchlist entries are deleted at the same time', async () => {
    const entries = Array.from({ length: 12 }, () => newId('wl'));
    const about = { accountId: notifications.service.account.id, at: new Date() };
    await notifications.happens(...entries.map((entry_id) => anEvent({ entry_id }, about)));
    let n = 0;
    notifications.sender.receive = () => ((n += 1) % 3 === 0 ? accepted(200, null) : gone());
    const remove = (entry_id: string) => {
      const removed = createDomainEvent('entry.removed', about.accountId, new Date(), { entry_id });
      return notifications.of(UnitOfWork).run(() => notifications.of(DeliveriesService).cancelForRemoved([removed]));
    };
    await Promise.all([notifications.deliverDue(), ...entries.map(remove)]);
    expect(await notifications.rows(`select 1 from deliveries where state = 'pending'`)).toEqual([]);
  });

  it('gets nothing more: pending deliveries of its disabled channel are paused unsent', async () => {
    await notifications.happens(notifications.event());
    await notifications.rows('update notification_channels set active = false where id = $1', [channel]);
    await notifications.deliverDue();
    expect(await theDelivery()).toMatchObject({ state: 'paused', attempts: 0 });
    expect(await leases()).toEqual([]);
  });
});
