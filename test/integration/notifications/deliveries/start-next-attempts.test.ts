import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Deliver } from '../../../../src/notifications/application/deliveries/deliver.js';
import { StartNextAttempts } from '../../../../src/notifications/application/deliveries/start-next-attempts.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterEach(() => notifications.rows('delete from notification_channels'));
afterAll(() => notifications.close());

/** Channels named `<host>/<number>`. */
const open = async (host: string, many: number) => {
  for (let n = 1; n <= many; n += 1) await notifications.openChannel(`${host}/${n}`);
};
const happen = (many: number) => notifications.happens(...Array.from({ length: many }, () => notifications.event()));

describe('attempts that start with their claim', () => {
  const startNext = (...hosts: string[]) => notifications.of(StartNextAttempts).run(hosts);
  const attempts = () =>
    notifications.rows(
      `select a.number, a.outcome, d.attempts, d.state from delivery_attempts a join deliveries d on d.id = a.delivery_id
       order by d.id, a.number`,
    );

  it('are claimed for the given hosts only', async () => {
    await open('a.example', 2);
    await open('b.example', 2);
    await happen(3);
    const { started } = await startNext('b.example', 'unused.example');
    expect(started.map(({ channel }) => channel.target).sort()).toEqual([
      ...['b.example/1', 'b.example/1', 'b.example/2', 'b.example/2'],
    ]);
  });

  it('are stored before they are made, and as delivered after it', async () => {
    await open('a.example', 2);
    await happen(1);
    const { started } = await startNext('a.example');
    const stored = { number: 1, outcome: null, attempts: 1, state: 'pending' };
    expect(await attempts()).toEqual([stored, stored]);
    const sent = notifications.sender.sent.all.length;
    for (const context of started) await notifications.of(Deliver).attempt(context);
    const messages = await notifications.sender.sent.waitFor(sent + 2);
    const [first, second] = messages.slice(sent);
    expect(second?.event).toEqual(first?.event);
    expect(first?.event.body).toContain(String(first?.event.id));
    const delivered = { number: 1, outcome: 'ok', attempts: 1, state: 'delivered' };
    expect(await attempts()).toEqual([delivered, delivered]);
    expect(await notifications.rows('select 1 from delivery_leases')).toEqual([]);
  });

  it('are lost when the process dies, and repeated under the next number', async () => {
    await open('a.example', 1);
    await happen(1);
    const [first] = (await startNext('a.example')).started;
    await notifications.endLeases();
    expect((await startNext('a.example')).started).toHaveLength(1);
    if (!first) throw new Error('nothing was due');
    await notifications.of(Deliver).attempt(first); // it outlived its lease
    expect(await attempts()).toEqual([
      { number: 1, outcome: 'lost', attempts: 2, state: 'pending' },
      { number: 2, outcome: null, attempts: 2, state: 'pending' },
    ]);
  });

  it('are none for an inactive channel, whose delivery is only claimed', async () => {
    await open('a.example', 1);
    await happen(1);
    await notifications.rows('update notification_channels set active = false');
    const { started, claims } = await startNext('a.example');
    expect([started.length, claims.length]).toEqual([0, 1]);
    for (const claim of claims) await notifications.deliver(claim);
    expect(await notifications.rows('select state, attempts from deliveries')).toEqual([
      { state: 'paused', attempts: 0 },
    ]);
  });
});
