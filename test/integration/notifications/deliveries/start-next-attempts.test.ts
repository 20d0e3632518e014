import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import { Deliver } from '../../../../src/notifications/deliveries/deliver.js';
import { RecordSuccesses } from '../../../../src/notifications/deliveries/record-successes.js';
import { type NextAttempts, StartNextAttempts } from '../../../../src/notifications/deliveries/start-next-attempts.js';
import { CLAIM_LOCK } from '../../../../src/notifications/deliveries/claims.sql.js';
import { DeliveryRepository } from '../../../../src/notifications/deliveries/deliveries.repository.js';
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

  it.each([
    ['disabled', 'lost'],
    ['paused', null], // it may still succeed
  ])(
    'that a process left behind, of a delivery that is %s: %s as soon as the lease expires',
    async (state, outcome) => {
      await open('a.example', 1);
      await happen(1);
      await startNext('a.example');
      await notifications.rows(`update deliveries set state = '${state}', next_attempt_at = null`);
      await notifications.claim();
      expect(await attempts()).toMatchObject([{ outcome: null }]);
      await notifications.endLeases();
      expect(await notifications.claim()).toEqual([]);
      expect(await attempts()).toMatchObject([{ outcome }]);
    },
  );

  it.each(['first', 'last'])('have their event, also if the %s of its deliveries is only claimed', async (which) => {
    await open('a.example', 2);
    await happen(1);
    const order = which === 'first' ? 'asc' : 'desc';
    await notifications.rows(
      `update notification_channels set active = false
       where id = (select channel_id from deliveries order by id ${order} limit 1)`,
    );
    const { started, claims } = await startNext('a.example');
    expect([started.length, claims.length]).toEqual([1, 1]);
    expect(started[0]?.event.body).toContain('watchlist.available');
    for (const claim of claims) await notifications.deliver(claim);
    for (const context of started) await notifications.of(Deliver).attempt(context);
    expect((await attempts()).map(({ number, outcome }) => [number, outcome])).toEqual([[1, 'ok']]);
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

  describe('when those before them have succeeded', () => {
    const next: NextAttempts[] = [];
    beforeEach(() => {
      next.length = 0;
      notifications.of(RecordSuccesses).onNext((one) => next.push(one));
    });
    afterEach(() => notifications.of(RecordSuccesses).onNext(null));

    /** All that may be in progress at a time, with `waiting` deliveries behind it. */
    const makeFirst = async (waiting: number) => {
      await open('a.example', 2);
      await happen(2 + waiting / 2);
      const { started } = await startNext('a.example');
      expect(started).toHaveLength(4);
      return Promise.all(started.map((context) => notifications.of(Deliver).attempt(context)));
    };
    const outcomes = async () => (await attempts()).map(({ outcome }) => outcome).sort();

    it('start in the transaction that records these', async () => {
      expect(await makeFirst(6)).toEqual([null, null, null, null]); // no slot is left to claim for
      expect(next.map(({ started, claims }) => [started.length, claims.length])).toEqual([[4, 0]]);
      expect(await outcomes()).toEqual([null, null, null, null, 'ok', 'ok', 'ok', 'ok']);
      expect(next[0]?.started.map(({ attempt }) => attempt.number)).toEqual([1, 1, 1, 1]);
    });

    it('do not keep these waiting for the lock of claims, which another process holds', async () => {
      await open('a.example', 2);
      await happen(3);
      const { started } = await startNext('a.example');
      const lock = 'hashtextextended($1, 0)';
      await notifications.rows(`select pg_advisory_lock(${lock})`, [CLAIM_LOCK]);
      try {
        await Promise.all(started.map((context) => notifications.of(Deliver).attempt(context)));
      } finally {
        await notifications.rows(`select pg_advisory_unlock(${lock})`, [CLAIM_LOCK]);
      }
      expect(next).toEqual([]);
      expect(await outcomes()).toEqual(['ok', 'ok', 'ok', 'ok']);
    });

    it('do not keep these from being recorded when they cannot start', async () => {
      const refuse = `alter table delivery_attempts
        add constraint none_starts check (number < 1 or outcome is not null) not valid`;
      await open('a.example', 2);
      await happen(3);
      const { started } = await startNext('a.example');
      await notifications.rows(refuse);
      try {
        const hosts = await Promise.all(started.map((context) => notifications.of(Deliver).attempt(context)));
        expect(hosts).toEqual(['a.example', 'a.example', 'a.example', 'a.example']); // to be claimed for once more
      } finally {
        await notifications.rows('alter table delivery_attempts drop constraint none_starts');
      }
      expect(next).toEqual([]);
      expect(await outcomes()).toEqual(['ok', 'ok', 'ok', 'ok']);
    });
  });

  it('are left to this process by periodic claims', async () => {
    await open('a.example', 1);
    await open('b.example', 1);
    await happen(1);
    const due = await notifications.of(DeliveryRepository).claimDue(notifications.of(Clock).now(), 100, ['a.example']);
    const hosts = await notifications.rows('select host from delivery_leases');
    expect([due.length, hosts]).toEqual([1, [{ host: 'b.example' }]]);
  });
});
