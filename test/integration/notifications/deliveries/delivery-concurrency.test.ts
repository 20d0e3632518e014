import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import type { Claim } from '../../../../src/notifications/domain/delivery.js';
import { CLAIM } from '../../../../src/notifications/deliveries/claims.repository.js';
import { StartAttempts } from '../../../../src/notifications/deliveries/start-attempts.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
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
/** @param inAll claims in progress at a time */
const claimParams = (inAll: number) => [notifications.of(Clock).now(), inAll, 60, 2, 5, null, ['scripted'], 100];
const claimUpTo = (inAll: number) => notifications.of(SqlClient).run(CLAIM, claimParams(inAll));
/** How many of these claims each channel, each host or each account has. */
const shares = async (of: 'target' | 'host' | 'account_id', claims: readonly Claim[]) => {
  const rows = await notifications.rows(
    `select c.${of} as name, count(*)::int as n from deliveries d join notification_channels c on c.id = d.channel_id
     where d.id = any($1) group by 1 order by 1`,
    [claims.map(({ id }) => id)],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n])) as Record<string, number>;
};

describe('attempts in progress', () => {
  it('are at most two per channel, the oldest first', async () => {
    await open('a.example', 1);
    await happen(3);
    notifications.advance(1);
    await happen(2);
    const oldest = await notifications.rows('select created_at as at from deliveries order by 1 limit 2');
    const claims = await notifications.claim();
    const created = await notifications.rows('select created_at as at from deliveries where id = any($1) order by 1', [
      claims.map(({ id }) => id),
    ]);
    expect(created).toEqual(oldest);
    expect(await notifications.claim()).toEqual([]);
  });

  it('are at most five per host, with concurrent claims too', async () => {
    await open('a.example', 6);
    await open('b.example', 1);
    await happen(4);
    const claims = (await Promise.all(Array.from({ length: 12 }, () => notifications.claim()))).flat();
    expect(await shares('host', claims)).toEqual({ 'a.example': 5, 'b.example': 2 });
    expect(new Set(claims.map(({ id }) => id)).size).toBe(7);
  });

  it('are at most as many as the limit of the claim', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await open(`${host}.example`, 1);
    await happen(2);
    expect(await claimUpTo(3)).toHaveLength(3);
    expect(await claimUpTo(5)).toHaveLength(2);
    expect(await claimUpTo(5)).toHaveLength(0);
  });

  it('free their slots when they end, or their lease expires', async () => {
    await open('a.example', 1);
    await happen(6);
    const [first] = await notifications.claim();
    if (!first) throw new Error('nothing was due');
    await notifications.deliver(first);
    expect(await notifications.claim()).toHaveLength(1);
    await notifications.endLeases();
    expect(await notifications.claim()).toHaveLength(2);
  });

  it('with a lease locked by a stalled transaction do not block other claims', async () => {
    await open('a.example', 1);
    await happen(2);
    const [first, second] = await notifications.claim();
    if (!first || !second) throw new Error('nothing was due');
    await notifications.endLeases();
    await notifications.rows('begin');
    await notifications.rows('select 1 from delivery_leases where delivery_id = $1 for update', [first.id]);
    const claims = await notifications.claim();
    await notifications.rows('rollback');
    expect(claims.map(({ id }) => id)).toEqual([second.id]);
    expect((await notifications.claim()).map(({ id }) => id)).toEqual([first.id]);
  });

  it('at one host are shared by all its channels, whatever the age of their deliveries', async () => {
    await open('a.example', 8);
    await happen(50);
    const claimsByTarget = new Map<string, number>();
    notifications.sender.receive = ({ channel }) => {
      claimsByTarget.set(channel.target, (claimsByTarget.get(channel.target) ?? 0) + 1);
      return accepted(200, null);
    };
    // The first channel has waited longest, for all of its fifty.
    await notifications.rows(
      `update deliveries set next_attempt_at = next_attempt_at - interval '1 hour'
       where channel_id = (select min(id) from notification_channels)`,
    );
    for (let round = 0; round < 20; round += 1)
      for (const claim of await notifications.claim()) await notifications.deliver(claim);
    expect([...claimsByTarget.values()].reduce((sum, n) => sum + n)).toBe(100);
    for (const n of claimsByTarget.values()) expect(n).toBeLessThan(30);
    expect(claimsByTarget.size).toBe(8);
  });
});

describe('places that two accounts deliver to', () => {
  let busy: { readonly id: string; readonly key: string };
  let quiet: typeof busy;
  beforeEach(async () => {
    [busy, quiet] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
  });
  const sharesOf = async (claims: readonly Claim[]) => {
    const found = await shares('account_id', claims);
    return { busy: found[busy.id] ?? 0, quiet: found[quiet.id] ?? 0 };
  };
  const claim = (limit = 100) => notifications.of(StartAttempts).claim(limit);

  describe.each([
    { due: 'a few deliveries are due', events: 10 },
    { due: 'there is a backlog', events: 60 },
  ])('at a host, while $due,', ({ events }) => {
    beforeEach(async () => {
      await open('shared.example', 20, busy.key);
      await happen(events, busy.id);
      await open('shared.example', 1, quiet.key);
      notifications.advance(1_000);
    });

    it('take turns by account, whatever the number of channels and the age of deliveries', async () => {
      await happen(2, quiet.id);
      expect(await sharesOf(await claim())).toEqual({ busy: 3, quiet: 2 });
    });

    it('go to the account with the fewest attempts in progress', async () => {
      const [first] = await claim();
      await happen(1, quiet.id);
      expect(await claim()).toEqual([]);
      if (first) await notifications.deliver(first);
      expect(await sharesOf(await claim())).toEqual({ busy: 0, quiet: 1 });
    });

    it('are all available to one account while the other has nothing due', async () => {
      expect(await sharesOf(await claim())).toEqual({ busy: 5, quiet: 0 });
    });
  });

  it('take turns by account in all, whatever the number of hosts', async () => {
    for (let n = 0; n < 12; n += 1) await open(`${n}.example`, 1, busy.key);
    await happen(2, busy.id);
    await open('quiet.example', 1, quiet.key);
    await happen(1, quiet.id);
    expect(await sharesOf(await claim(3))).toEqual({ busy: 2, quiet: 1 });
  });
});

describe('a claim', () => {
  it('is made for the given hosts only', async () => {
    await open('a.example', 2);
    await open('b.example', 2);
    await happen(3);
    expect(await shares('target', await notifications.claim(['b.example', 'unused.example']))).toEqual({
      'b.example/1': 2,
      'b.example/2': 2,
    });
  });

  it.each(['first', 'last'])('has the event, also if the %s of its deliveries does not start', async (which) => {
    await open('a.example', 2);
    await happen(1);
    const order = which === 'first' ? 'asc' : 'desc';
    await notifications.rows(
      `update notification_channels set active = false
       where id = (select channel_id from deliveries order by id ${order} limit 1)`,
    );
    const started = (await notifications.claim()).map((claim) => claim.started);
    expect(started).toHaveLength(2);
    const bodies = started.flatMap((context) => context?.event.body ?? []);
    expect(bodies).toEqual([expect.stringContaining('watchlist.available')]);
  });

  it('reads nothing of thousands of channels whose deliveries are not due, and finds the due one', async () => {
    await open('a.example', 1);
    await happen(1);
    await notifications.rows(
      `insert into notification_channels
       select (jsonb_populate_record(c, jsonb_build_object('id', 'nc_' || n, 'canonical_target', n, 'host', n || '.example'))).*
       from notification_channels c, generate_series(1, 5000) n`,
    );
    await notifications.rows(
      `insert into deliveries (id, event_id, channel_id, host, state, next_attempt_at, created_at)
       select 'dl_' || c.id, d.event_id, c.id, c.host, 'pending', now() + interval '1 day', now()
       from deliveries d, notification_channels c where c.id <> d.channel_id`,
    );
    const claim = { statement: CLAIM, values: claimParams(100) };
    expect(await mostRowsRead(notifications.service.databaseUrl, [claim])).toBeLessThan(10);
    expect(await notifications.claim()).toHaveLength(1);
  });

  it('shares the slots among hosts in a backlog', async () => {
    await open('a.example', 2);
    await open('b.example', 1);
    await happen(900);
    expect(await shares('target', await notifications.claim())).toEqual({
      'a.example/1': 2,
      'a.example/2': 2,
      'b.example/1': 2,
    });
  });
});

describe('a batch of attempts', () => {
  it('does not wait for a locked delivery', async () => {
    await open('a.example', 2);
    await happen(1);
    const claims = await notifications.claim();
    const [locked] = claims;
    await notifications.database.query('begin');
    await notifications.database.query('select 1 from deliveries where id = $1 for update', [locked?.id]);
    const all = Promise.all(claims.map((claim) => notifications.deliver(claim)));
    await notifications.until(`select 1 from deliveries where state = 'delivered' and id <> $1`, [locked?.id], 1);
    await notifications.database.query('commit');
    await all;
    expect(await notifications.rows(`select 1 from deliveries where state <> 'delivered'`)).toEqual([]);
  });

  it('does not fail as a whole when one of them cannot be stored', async () => {
    await open('a.example', 2);
    await open('b.example', 2);
    await happen(1);
    notifications.sender.receive = ({ channel }) => accepted(channel.target === 'a.example/1' ? 299 : 200, null);
    const claims = await notifications.claim();
    await notifications.rows(
      'alter table delivery_attempts add constraint refused check (response_status <> 299) not valid',
    );
    const ends = await Promise.allSettled(claims.map((claim) => notifications.deliver(claim)));
    await notifications.rows('alter table delivery_attempts drop constraint refused');
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1 order by 1');
    expect(states).toEqual([
      { state: 'delivered', n: 3 },
      { state: 'pending', n: 1 },
    ]);
  });
});

describe('several attempts at one delivery', () => {
  it('count once, though an outdated attempt ends together with its successor', async () => {
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
