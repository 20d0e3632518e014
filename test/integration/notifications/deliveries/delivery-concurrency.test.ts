import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Batch } from '../../../../src/notifications/deliveries/lease-channels.js';
import { CLAIM } from '../../../../src/notifications/deliveries/channel-leases.repository.js';
import { Clock } from '../../../../src/kernel/clock.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { mostRowsRead } from '../../../support/database/rows-read.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
afterEach(async () => {
  notifications.sender.receive = () => accepted(200, null);
  await notifications.rows('delete from notification_channels');
});

/** Opens channels named `<host>/<number>`. */
const open = async (host: string, many: number, key?: string) => {
  for (let n = 1; n <= many; n += 1) await notifications.openChannel(`${host}/${n}`, key);
};
const happen = (many: number, accountId = notifications.service.account.id) =>
  notifications.happens(...Array.from({ length: many }, () => ({ ...notifications.event(), accountId })));
/** How many leases each host, channel or account has. */
const shares = (of: 'target' | 'host' | 'accountId', batches: readonly Batch[]) => {
  const groups = Map.groupBy(batches, ({ channel }) => channel[of]);
  return Object.fromEntries([...groups].map(([name, alike]) => [name, alike.length]));
};
const statesOf = () => notifications.rows('select state, count(*)::int as n from deliveries group by 1 order by 1');

describe('a channel that a worker has locked', () => {
  it('gives the worker its four oldest deliveries, and no other worker can lock it meanwhile', async () => {
    await open('a.example', 1);
    await happen(5);
    notifications.advance(1);
    await happen(2);
    const oldest = await notifications.rows('select id from deliveries order by created_at, id limit 4');
    const batches = (await Promise.all(Array.from({ length: 8 }, () => notifications.claim()))).flat();
    expect(batches.map(({ started }) => started.map(({ delivery }) => delivery.id))).toEqual([
      oldest.map(({ id }) => id),
    ]);
  });

  it('can be locked again after its deliveries are sent or its lock has ended', async () => {
    await open('a.example', 1);
    await happen(12);
    const [first] = await notifications.claim();
    if (first) await notifications.deliver(first);
    expect(await notifications.claim()).toHaveLength(1);
    expect(await notifications.claim()).toHaveLength(0);
    await notifications.endLeases();
    expect(await notifications.claim()).toHaveLength(1);
  });

  it('does not block other channels when a stalled transaction holds its database row', async () => {
    await open('a.example', 2);
    await happen(1);
    const [stalled, other] = await notifications.claim();
    await notifications.endLeases();
    await notifications.rows('begin');
    await notifications.rows('select 1 from channel_leases where channel_id = $1 for update', [stalled?.channel.id]);
    const batches = await notifications.claim();
    await notifications.rows('rollback');
    expect(batches.map(({ channel }) => channel.id)).toEqual([other?.channel.id]);
    expect((await notifications.claim()).map(({ channel }) => channel.id)).toEqual([stalled?.channel.id]);
  });

  it('leaves no lock behind when it is removed meanwhile', async () => {
    await open('a.example', 1);
    await happen(2);
    const [batch] = await notifications.claim();
    await notifications.rows('delete from notification_channels');
    if (batch) await notifications.deliver(batch);
    expect(await notifications.rows('select 1 from channel_leases')).toEqual([]);
    expect(await notifications.claim()).toEqual([]);
  });

  it('gets nothing more when switched off meanwhile, but its accepted deliveries count', async () => {
    await open('a.example', 1);
    await happen(6);
    const [batch] = await notifications.claim();
    const path = `/v1/notifications/${String(batch?.channel.id)}`;
    const off = { method: 'PATCH', path, body: { active: false } };
    expect(await notifications.service.call(off)).toMatchObject({ status: 200 });
    if (batch) await notifications.deliver(batch);
    expect(await notifications.deliverDue()).toBe(0);
    expect(await statesOf()).toEqual([
      { state: 'delivered', n: 4 },
      { state: 'paused', n: 2 },
    ]);
  });
});

describe('a channel whose filters change during a delivery', () => {
  it('gets earlier events by its old filters, and later events by its new ones', async () => {
    await open('a.example', 1);
    await happen(6);
    const [batch] = await notifications.claim();
    const path = `/v1/notifications/${String(batch?.channel.id)}`;
    const filter = { method: 'PATCH', path, body: { event_types: ['watchlist.expiring'] } };
    expect(await notifications.service.call(filter)).toMatchObject({ status: 200 });
    await happen(3);
    if (batch) await notifications.deliver(batch);
    await notifications.deliverDue();
    expect(await statesOf()).toEqual([{ state: 'delivered', n: 6 }]);
  });
});

describe('the channels that workers lock', () => {
  it('are at most five per receiver host, even with concurrent workers', async () => {
    await open('a.example', 7);
    await open('b.example', 1);
    await happen(1);
    const batches = (await Promise.all(Array.from({ length: 12 }, () => notifications.claim()))).flat();
    expect(shares('host', batches)).toEqual({ 'a.example': 5, 'b.example': 1 });
  });

  it('take turns at a host, so that each sends equally often', async () => {
    await open('a.example', 8);
    await happen(50);
    const attempts = new Map<string, number>();
    notifications.sender.receive = ({ channel }) => {
      attempts.set(channel.target, (attempts.get(channel.target) ?? 0) + 1);
      return accepted(200, null);
    };
    for (let round = 0; round < 16; round += 1)
      await Promise.all((await notifications.claim()).map((batch) => notifications.deliver(batch)));
    expect([...attempts.values()]).toEqual(Array.from({ length: 8 }, () => 40));
  });

  describe('when two accounts compete', () => {
    let busy: { readonly id: string; readonly key: string };
    let quiet: typeof busy;
    beforeEach(async () => {
      [busy, quiet] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
    });
    const sharesOf = (batches: readonly Batch[]) => {
      const found = shares('accountId', batches);
      return { busy: found[busy.id] ?? 0, quiet: found[quiet.id] ?? 0 };
    };

    it('share a host so that the account with fewer locked channels comes next', async () => {
      await open('shared.example', 20, busy.key);
      await happen(60, busy.id);
      const [first] = await notifications.claim();
      await open('shared.example', 1, quiet.key);
      await happen(1, quiet.id);
      expect(await notifications.claim()).toEqual([]);
      if (first) await notifications.deliver(first);
      expect(sharesOf(await notifications.claim())).toEqual({ busy: 0, quiet: 1 });
    });

    it('are chosen from the accounts in turns, however many hosts one account has', async () => {
      for (let n = 0; n < 12; n += 1) await open(`${n}.example`, 1, busy.key);
      await happen(2, busy.id);
      await open('quiet.example', 1, quiet.key);
      await happen(1, quiet.id);
      expect(sharesOf(await notifications.claim(3))).toEqual({ busy: 2, quiet: 1 });
    });

    it('do not delay each other when one account’s hosts hang', async () => {
      for (let n = 0; n < 50; n += 1) await open(`${n}.example`, 1, busy.key);
      await happen(200, busy.id);
      expect(await notifications.claim()).toHaveLength(50);
      await open('quiet.example', 1, quiet.key);
      await happen(1, quiet.id);
      expect(sharesOf(await notifications.claim())).toEqual({ busy: 0, quiet: 1 });
    });
  });
});

describe('a worker’s claim', () => {
  it('returns an event once for each channel that gets it', async () => {
    await open('a.example', 2);
    await happen(1);
    const bodies = (await notifications.claim()).flatMap(({ started }) => started.map(({ event }) => event.body));
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body).toContain('watchlist.available');
  });

  it('reads fewer than three rows per channel, however many deliveries wait', async () => {
    await open('a.example', 1);
    await happen(1);
    await notifications.rows(
      `insert into notification_channels
       select (jsonb_populate_record(c, jsonb_build_object('id', 'nc_' || n, 'canonical_target', n, 'host', n || '.example'))).*
       from notification_channels c, generate_series(1, 1000) n`,
    );
    await notifications.rows(
      `insert into events (id, account_id, type, body, created_at)
       select 'evt_' || n, account_id, type, body, created_at from events, generate_series(1, 20) n where id in (
         select event_id from deliveries)`,
    );
    await notifications.rows(
      `insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at)
       select 'dl_' || e.id || c.id, e.id, c.id, 'pending', now() + interval '1 day', now()
       from events e, notification_channels c where e.id like 'evt\\__' or e.id like 'evt\\___'`,
    );
    const values = [notifications.of(Clock).now(), ['scripted'], [], 60, 300, 60, 100];
    const read = await mostRowsRead(notifications.service.databaseUrl, [{ statement: CLAIM, values }]);
    expect(read).toBeLessThan(2_500);
    expect(await notifications.claim()).toHaveLength(1);
  });
});

describe('the delivery batches of several channels', () => {
  it('do not wait for a batch with a delivery locked in the database', async () => {
    await open('a.example', 2);
    await happen(1);
    const batches = await notifications.claim();
    const locked = batches[0]?.started[0]?.delivery.id;
    await notifications.database.query('begin');
    await notifications.database.query('select 1 from deliveries where id = $1 for update', [locked]);
    const all = Promise.all(batches.map((batch) => notifications.deliver(batch)));
    await notifications.until(`select 1 from deliveries where state = 'delivered' and id <> $1`, [locked], 1);
    await notifications.database.query('commit');
    await all;
    expect(await statesOf()).toEqual([{ state: 'delivered', n: 2 }]);
  });

  it('do not all fail when one of them cannot be stored', async () => {
    await open('a.example', 2);
    await open('b.example', 2);
    await happen(1);
    notifications.sender.receive = ({ channel }) => accepted(channel.target === 'a.example/1' ? 299 : 200, null);
    const batches = await notifications.claim();
    await notifications.rows(
      'alter table delivery_attempts add constraint refused check (response_status <> 299) not valid',
    );
    const ends = await Promise.allSettled(batches.map((batch) => notifications.deliver(batch)));
    await notifications.rows('alter table delivery_attempts drop constraint refused');
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(await statesOf()).toEqual([
      { state: 'delivered', n: 3 },
      { state: 'pending', n: 1 },
    ]);
  });
});

describe('several attempts at one delivery', () => {
  it('count as one failure when an outdated attempt ends together with its successor', async () => {
    await open('a.example', 1);
    await happen(1);
    const release = Promise.withResolvers<void>();
    const before = notifications.sender.sent.all.length;
    notifications.sender.receive = async () => {
      await release.promise;
      return failed('http_error', { responseStatus: 500 });
    };
    const first = notifications.deliverDue();
    await notifications.sender.sent.waitFor(before + 1);
    await notifications.endLeases();
    const second = notifications.deliverDue();
    await notifications.sender.sent.waitFor(before + 2);
    release.resolve();
    await Promise.all([first, second]);
    expect(await notifications.rows('select outcome from delivery_attempts order by number')).toEqual([
      { outcome: 'lost' },
      { outcome: 'http_error' },
    ]);
    expect(await notifications.rows('select state, attempts, failures from deliveries')).toEqual([
      { state: 'pending', attempts: 2, failures: 1 },
    ]);
  });
});
