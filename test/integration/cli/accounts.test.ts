import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { userInfo } from 'node:os';
import pg from 'pg';
import { LeaseChannels } from '../../../src/notifications/deliveries/lease-channels.js';
import { FollowAccounts } from '../../../src/watchlist/upkeep/follow-accounts.js';
import { eventually } from '../../support/eventually.js';
import { afterWaiting } from '../../support/fakes/process-time.js';
import { running } from '../../support/running.js';
import { CommandLineService } from '../../support/servers/command-line-service.js';
import type { TestService } from '../../support/servers/test-service.js';

const commands = running(() => CommandLineService.start());
let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  ({ service } = commands);
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(() => database.end());

let account: { id: string; key: string };
let other: { id: string; key: string };
beforeEach(async () => {
  [account, other] = [await service.openAccount(), await service.openAccount()];
});

const namewatch = (...words: string[]) => commands.run(words, { NAMEWATCH_KEY: account.key });
const post = async (path: string, body: object | string, { key } = account, headers = {}) => {
  const answer = await service.call({ method: 'POST', path, body, key, headers });
  expect([200, 201, 202]).toContain(answer.status);
  return answer.body;
};
const entry = async (id: unknown) =>
  (await service.call({ path: `/v1/watchlist/${String(id)}`, key: account.key })).body;
const isScheduled = async (domain: string) => {
  const found = await database.query('select next_check_at as at from watched_names where domain = $1', [domain]);
  return (found.rows[0] as { at: Date | null }).at !== null;
};
const deliveryStates = async () => {
  const { rows } = await database.query<{ state: string }>(
    `select state from deliveries d join notification_channels c on c.id = d.channel_id
     where c.account_id = $1 order by d.id`,
    [account.id],
  );
  return rows.map(({ state }) => state);
};
const follow = async () => {
  await service.app.get(FollowAccounts, { strict: false }).run();
};
const aChannel = () => post('/v1/notifications', { type: 'webhook', target: 'https://hooks.example.test/' });

describe('a suspended account', () => {
  it('is refused within a second with the reason, while another account still works', async () => {
    await namewatch('account', 'suspend', account.id);
    expect(await afterWaiting(1_000, () => service.call({ path: '/v1/me', key: account.key }))).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', detail: expect.stringContaining('suspended') },
    });
    expect((await service.call({ path: '/v1/me', key: other.key })).status).toBe(200);
  });

  it('has no checks and no deliveries until it is resumed', async () => {
    const [active, shared, paused] = [`a-${account.id}.test`, `b-${account.id}.test`, `c-${account.id}.test`].map(
      (name) => name.replace('acc_', ''),
    );
    const watched = await post('/v1/watchlist', { domain: active });
    await post('/v1/watchlist', { domain: shared });
    await post('/v1/watchlist', { domain: shared }, other);
    const pausedBefore = await post('/v1/watchlist', { domain: paused, paused: true });
    const channel = await aChannel();
    await post(`/v1/notifications/${String(channel['id'])}/test`, {});

    await follow();
    expect((await namewatch('account', 'suspend', account.id)).code).toBe(0);
    await follow();
    expect([await isScheduled(active ?? ''), await isScheduled(shared ?? '')]).toEqual([false, true]);
    const ready = () => service.app.get(LeaseChannels, { strict: false }).isAnyReady();
    expect([await deliveryStates(), await ready()]).toEqual([['pending'], false]);

    expect((await namewatch('account', 'resume', account.id)).code).toBe(0);
    await follow();
    await eventually(
      () => service.call({ path: '/v1/me', key: account.key }),
      ({ status }) => status === 200,
    );
    expect(await isScheduled(active ?? '')).toBe(true);
    expect(await entry(watched['id'])).toMatchObject({ paused: false, change_seq: 0 });
    expect(await entry(pausedBefore['id'])).toMatchObject({ paused: true });
    expect([await deliveryStates(), await ready()]).toEqual([['pending'], true]);
  });
});

describe('deletion of an account', () => {
  /** The rows of the account anywhere: every table that names accounts is asked. */
  const rowsOf = async (id: string) => {
    const tables = await database.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c join information_schema.tables t
         using (table_schema, table_name)
       where c.column_name = 'account_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
    );
    const counts = await Promise.all(
      tables.rows.map(async ({ name }) => {
        const found = await database.query(`select 1 from ${name} where account_id = $1`, [id]);
        return [name, found.rowCount ?? 0] as const;
      }),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };

  it('deletes every row of the account, and keeps the names of other accounts', async () => {
    const shared = `shared-${account.id}.test`.replace('acc_', '');
    await post('/v1/watchlist', { domain: shared, interval_minutes: 60 }, account, { 'idempotency-key': 'once' });
    await post('/v1/watchlist', { domain: `own-${shared}` });
    await post('/v1/watchlist', { domain: shared, interval_minutes: 720 }, other);
    const channel = await aChannel();
    await post(`/v1/notifications/${String(channel['id'])}/test`, {});
    expect(Object.keys(await rowsOf(account.id)).sort()).toEqual(
      expect.arrayContaining(['api_keys', 'events', 'idempotent_responses', 'notification_channels', 'watch_entries']),
    );

    const { code, out, err } = await namewatch('account', 'delete', account.id, '--yes', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      id: account.id,
      deleted: { entries: 2, channels: 1, deliveries: 1, events: 1 },
    });
    expect(await rowsOf(account.id)).toEqual({});
    expect((await database.query('select 1 from accounts where id = $1', [account.id])).rowCount).toBe(0);
    expect((await service.call({ path: '/v1/me', key: account.key })).status).toBe(401);
    expect([await isScheduled(shared), await isScheduled(`own-${shared}`)]).toEqual([true, false]);
    const { rows } = await database.query('select interval_minutes from watched_names where domain = $1', [shared]);
    expect(rows).toEqual([{ interval_minutes: 720 }]);
    expect(await namewatch('account', 'delete', account.id, '--yes')).toMatchObject({ code: 3 });
  });

  it('is refused without --yes', async () => {
    const refused = await namewatch('account', 'delete', account.id);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await service.call({ path: '/v1/me', key: account.key })).status).toBe(200);
  });
});

describe('the account commands', () => {
  it('list the accounts in pages, and show which are suspended', async () => {
    await namewatch('account', 'suspend', other.id);
    const { out } = await namewatch('account', 'list', '--json');
    const { data, meta } = JSON.parse(out) as { data: Record<string, unknown>[]; meta: { total: number } };
    expect(data.find(({ id }) => id === account.id)).toMatchObject({ name: 'test', suspended_at: null });
    expect(data.find(({ id }) => id === other.id)).toMatchObject({ suspended_at: expect.any(String) });
    expect(meta).toMatchObject({ page: 1, total: data.length });
    expect((await namewatch('account', 'list')).out).toMatch(
      new RegExp(`^${other.id} {2}selfhost {2}suspended 20`, 'm'),
    );
    expect((await namewatch('account', 'list', '--per-page', '1')).out).toContain('--page 2 has more');
  });

  it.each(['suspend', 'resume'])('exit with 3 for an unknown account: %s', async (command) => {
    expect(await namewatch('account', command, 'acc_0')).toMatchObject({ code: 3, err: 'There is no account acc_0.' });
  });
});

describe('namewatch audit', () => {
  it('shows what was done on the command line and which system user did it', async () => {
    const made = await namewatch('key', 'create', '--account', account.id, '--name', 'Watch only', '--json');
    await namewatch('key', 'revoke', (JSON.parse(made.out) as { id: string }).id);
    await namewatch('account', 'suspend', account.id);
    const { code, out } = await namewatch('audit', '--account', account.id, '--actor', 'cli', '--json');
    expect(code).toBe(0);
    const { data } = JSON.parse(out) as { data: Record<string, unknown>[] };
    expect(data.map(({ action }) => action)).toEqual(['key.issued', 'key.revoked', 'account.suspended']);
    expect(data[0]).toMatchObject({ actor: { type: 'cli', id: null, name: userInfo().username }, address: null });
    const newest = await namewatch('audit', '--account', account.id, '--action', 'key.*', '--limit', '1');
    expect(newest.out).toMatch(/^20\S+ {2}key\.revoked {2}key_\S+ {2}by {2}cli \(/);
    expect(newest.out).toContain('Watch only');
    expect((await namewatch('audit', '--since', 'then')).code).toBe(2);
  });

  it.each(['watchlist.remvoed', 'watchlist.import*', 'removed', ''])(
    'refuses the unknown action "%s"',
    async (action) => {
      const { code, out, err } = await namewatch('audit', '--action', action);
      expect({ code, out, err }).toEqual({
        code: 2,
        out: '',
        err: expect.stringContaining('not an action of the audit trail, such as key.issued'),
      });
    },
  );

  it.each(['watchlist.*', 'ledger.closed', 'ledger.*'])('accepts the action "%s"', async (action) => {
    expect((await namewatch('audit', '--action', action)).code).toBe(0);
  });

  it('exits with 3 for an unknown account', async () => {
    const absent = await namewatch('audit', '--account', 'acc_nix');
    expect(absent).toEqual({ code: 3, out: '', err: 'There is no account acc_nix.' });
  });
});

describe('namewatch whoami', () => {
  it('shows the account, the key and how much of the plan is used', async () => {
    await post('/v1/watchlist', { domain: `mine-${account.id}.test`.replace('acc_', '') });
    const { code, out } = await namewatch('whoami');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Account +${account.id} \\(test\\)$`, 'm'));
    expect(out).toMatch(/^Key +key_\w+ \(first\), does not expire, issued by cli$/m);
    expect(out).toMatch(/^Entries +1 of \d+$/m);
    expect(out).not.toContain(account.key);
    expect(JSON.parse((await namewatch('whoami', '--json')).out)).toMatchObject({ account: { id: account.id } });
  });

  it('exits with 4 for an invalid key', async () => {
    const { code, err } = await commands.run(['whoami'], { NAMEWATCH_KEY: 'Bearer nw_x' });
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('the word Bearer twice') });
  });
});
