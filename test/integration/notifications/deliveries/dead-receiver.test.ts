import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { Clock, DAY, HOUR, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { accepted, ChannelSenderRegistry, failed, RetrySchedule } from '../../../../src/notifications/index.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import { ScriptedSender } from '../../../support/fakes/scripted-sender.js';

/** Like webhooks: with chance in its schedule. */
class JitteringSender extends ScriptedSender {
  override readonly type = 'jittering';
  override readonly schedule = RetrySchedule.forWebhooks(TimeUnits.REAL);
}

const STEPS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
/** The clock of a test goes on by itself, too. */
const BUSY = 5 * SECOND;

let notifications: NotificationService;
const sender = new JitteringSender();
beforeAll(async () => {
  notifications = await NotificationService.start();
  notifications.of(ChannelSenderRegistry).register(sender);
});
afterAll(() => notifications.close());

const call = (method: string, path: string, body: object) =>
  notifications.service.call({ method, path: `/v1/notifications${path}`, body });
const now = () => notifications.of(Clock).now().getTime();
const next = async () => {
  const [row] = await notifications.rows('select min(next_attempt_at) as at from deliveries');
  return (row?.['at'] as Date | null)?.getTime() ?? null;
};
const attempts = async () =>
  (await notifications.rows('select started_at, outcome from delivery_attempts order by number')).map((row) => ({
    at: (row['started_at'] as Date).getTime(),
    outcome: row['outcome'],
  }));

describe('a receiver that failed', () => {
  it('recovers with any success, though that attempt started before the failure', async () => {
    await notifications.openChannel('receiver');
    await notifications.happens(notifications.event(), notifications.event());
    const [failing, arriving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const under = new Set<string>();
    notifications.sender.receive = async ({ deliveryId }) => {
      under.add(deliveryId);
      if (under.size === 2) failing.resolve();
      const isFirst = [...under][0] === deliveryId;
      await (isFirst ? failing.promise : arriving.promise);
      return isFirst ? failed('timeout') : accepted(200, null);
    };
    const made = Promise.all((await notifications.claim()).map((claim) => notifications.deliver(claim)));
    await notifications.until('select 1 from notification_channels where first_failure_at is not null', [], 1);
    arriving.resolve();
    await made;
    const [channel] = await notifications.rows('select active, first_failure_at from notification_channels');
    expect(channel).toEqual({ active: true, first_failure_at: null });
    notifications.sender.receive = () => accepted(200, null);
    await notifications.rows('delete from notification_channels');
  });
});

describe('a dead receiver', () => {
  it('gets ten attempts in three days by the schedule, ± a fifth; then the delivery fails', async () => {
    await call('POST', '', { type: 'jittering', target: 'three-days' });
    sender.receive = () => failed('connect');
    await notifications.happens(notifications.event());
    for (let at = await next(); at !== null; at = await next()) {
      notifications.advance(Math.max(0, at - now()));
      await notifications.deliverDue();
    }
    const made = await attempts();
    expect(made.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'connect'));
    expect(sender.sent.all.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(sender.sent.all.map(({ event }) => event.id + event.body)).size).toBe(1);
    const gaps = made.slice(1).map(({ at }, i) => at - (made[i]?.at ?? NaN));
    expect(gaps).toHaveLength(STEPS.length);
    gaps.forEach((gap, i) => {
      expect(gap).toBeGreaterThanOrEqual((STEPS[i] ?? NaN) * 0.8);
      expect(gap).toBeLessThanOrEqual((STEPS[i] ?? NaN) * 1.2 + BUSY);
    });
    expect(STEPS.reduce((sum, step) => sum + step)).toBe(75 * HOUR + 35 * MINUTE + 5 * SECOND);
    expect(new Set(gaps.map((gap, i) => (gap / (STEPS[i] ?? NaN)).toFixed(2))).size).toBeGreaterThan(3); // by chance
    expect(await notifications.rows('select state, failures, next_attempt_at from deliveries')).toEqual([
      { state: 'failed', failures: 10, next_attempt_at: null },
    ]);
    await notifications.rows('delete from notification_channels');
  });

  it('is disabled after five days; once enabled, a replay delivers each event once', async () => {
    const { body } = await call('POST', '', { type: 'jittering', target: 'five-days' });
    const id = String(body['id']);
    await call('POST', '', { type: 'scripted', target: 'elsewhere' });
    sender.receive = () => failed('timeout');
    const began = new Date(now());
    const events: string[] = [];
    const end = now() + 5 * DAY + HOUR;
    while (now() < end) {
      const event = notifications.event();
      events.push(event.id);
      await notifications.happens(event);
      const tomorrow = now() + DAY;
      while (now() < tomorrow) {
        await notifications.deliverDue();
        const due = await next();
        notifications.advance(Math.max(SECOND, Math.min(due ?? Infinity, tomorrow) - now()));
      }
    }
    const [channel] = await notifications.rows('select active, reason from notification_channels where id = $1', [id]);
    expect(channel).toEqual({ active: false, reason: 'failing' });
    await notifications.deliverDue();
    const elsewhere = notifications.sender.sent.all.filter(({ event }) => event.type === 'channel.disabled');
    expect(elsewhere).toHaveLength(1);

    await call('PATCH', `/${id}`, { active: true });
    sender.receive = () => accepted(200, null);
    const before = sender.sent.all.length;
    const range = { from: began.toISOString(), to: new Date(now()).toISOString() };
    const missed = await notifications.rows('select event_id from deliveries where channel_id = $1', [id]);
    expect((await call('POST', `/${id}/replay`, range)).body).toEqual({ count: missed.length });
    await notifications.deliverDue();
    const brought = sender.sent.all.slice(before).map(({ event }) => event.id);
    expect(brought.sort()).toEqual(missed.map(({ event_id }) => event_id).sort());
    expect(missed.length).toBeGreaterThanOrEqual(5);
    const states = await notifications.rows('select distinct state from deliveries where channel_id = $1', [id]);
    expect(states).toEqual([{ state: 'delivered' }]);
  });
});
