import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openAdminContext } from '../../../src/app/admin.js';
import { readConfig } from '../../../src/config/config.js';
import { PurgeEvents } from '../../../src/notifications/events/purge-events.js';
import { FollowAccounts } from '../../../src/watchlist/upkeep/follow-accounts.js';
import { PurgeHistory } from '../../../src/watchlist/upkeep/purge-history.js';
import { eventually } from '../../support/eventually.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { runInShell } from '../../support/programs/shell.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');
/** Each operation is a loop of batches: one of each kind is killed on each change, the others by `.ci/run --all`. */
const inAllCases = process.env['ALL_CASES'] === '1' ? it : it.skip;
const MANY = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-killed-'));
const MASTER_KEY = randomBytes(32).toString('base64');

let service: TestService;
let database: pg.Client;
let settings: Record<string, string>;
beforeAll(async () => {
  await runInShell('node bin/build.mjs');
  service = await startTestService({ MASTER_KEY, ROLE: 'api' }); // no periodic task takes the work over
  settings = { DATABASE_URL: service.databaseUrl, MASTER_KEY, DATA_DIR: folder, RDAP_BOOTSTRAP_URL: 'off' };
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

let account: { id: string; key: string };
beforeEach(async () => {
  account = await service.openAccount('business');
});

async function watch(entries: number): Promise<void> {
  await database.query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at)
     select replace($2, '_', '') || n || '.test', '', 60, now() + interval '1 day' from generate_series(1, $1::int) n`,
    [entries, account.id],
  );
  await database.query(
    `insert into watch_entries (id, account_id, domain, interval_minutes,
       expiring_window_days, status, phase, change_seq,
       has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
     select $2 || n, $2, replace($2, '_', '') || n || '.test', 60, 30, 'registered', 'registered', 0, false, false, '{}', 'own', now(), now()
     from generate_series(1, $1::int) n`,
    [entries, account.id],
  );
}

async function count(condition: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from ${condition}`);
  return rows[0]?.count ?? NaN;
}

const runTask = (task: string) => ['test/support/programs/run-operation.mjs', task];

/** Kills the program as soon as a part of its work is done. @returns how much is left */
async function killInTheMiddle(program: readonly string[], leftOf: () => Promise<number>): Promise<number> {
  const all = await leftOf();
  const connections = await connectionIds();
  const env = { ...ownEnvironment(), ...settings };
  const running = spawn(process.execPath, program, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(running, 'exit');
  await eventually(leftOf, (left) => left < all, 60_000).finally(() => running.kill('SIGKILL'));
  expect(await ended).toEqual([null, 'SIGKILL']);
  await lastStatementsSince(connections);
  const left = await leftOf();
  expect(left).toBeGreaterThan(0);
  return left;
}

async function connectionIds(): Promise<number[]> {
  const { rows } = await database.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  return rows.map(({ pid }) => pid);
}

/** PostgreSQL may commit what a process sent before it was killed. */
async function lastStatementsSince(connections: readonly number[]): Promise<void> {
  await eventually(connectionIds, (now) => now.every((pid) => connections.includes(pid)));
}

describe('an operation killed midway and run again', () => {
  it('changes the interval of every name after a plan downgrade', async () => {
    await watch(4_000);
    const follow = () => service.app.get(FollowAccounts, { strict: false }).run();
    await follow();
    await database.query(`update accounts set plan = 'free' where id = $1`, [account.id]);
    const faster = () =>
      count(
        `watched_names n join watch_entries e using (domain) where e.account_id = '${account.id}' and n.interval_minutes = 60`,
      );
    await killInTheMiddle(runTask('follow-accounts'), faster);
    expect(await follow()).toBe(4_000);
    expect(await faster()).toBe(0);
    expect(await follow()).toBe(0);
  });

  inAllCases('deletes all history older than the plan allows, but not the current state', async () => {
    await watch(1);
    await database.query(
      `insert into watch_history (entry_id, change_seq, status, phase, first_seen_at, last_seen_at, evidence)
       select $1 || '1', n, 'registered', 'registered', now() - interval '9 years',
         case when n < $2 then now() - interval '5 years' + interval '1 second' * n end, '[]'
       from generate_series(1, $2::int) n`,
      [account.id, MANY],
    );
    const expired = () => count(`watch_history where last_seen_at < now() - interval '4 years'`);
    const left = await killInTheMiddle(runTask('purge-history'), expired);
    expect(await service.app.get(PurgeHistory, { strict: false }).run()).toMatchObject({ intervals: left });
    expect(await count(`watch_history where entry_id = '${account.id}1'`)).toBe(1);
  });

  inAllCases('deletes all events that are too old, and keeps the recent one', async () => {
    await database.query(
      `insert into events (id, account_id, type, body, created_at)
       select 'evt_' || n, $1, 'watchlist.registered', 'x', now() - interval '1 year' + interval '1 minute' * n
       from generate_series(1, $2::int) n
       union all select 'evt_recent', $1, 'watchlist.registered', 'x', now()`,
      [account.id, MANY],
    );
    await killInTheMiddle(runTask('purge-events'), () =>
      count(`events where created_at < now() - interval '300 days'`),
    );
    await service.app.get(PurgeEvents, { strict: false }).run();
    expect(await count('events')).toBe(1);
  });

  it('deletes an account completely, and the deletion cannot be cancelled', async () => {
    const { id } = account;
    await watch(4_000);
    const entries = () => count(`watch_entries where account_id = '${id}'`);
    await killInTheMiddle(['bin/namewatch.mjs', 'account', 'delete', id, '--yes'], entries);
    const { accounts, close } = await openAdminContext(readConfig(settings));
    await expect(accounts.resume(id)).rejects.toThrow('has begun');
    expect(await accounts.finishDeletions()).toEqual([]); // it may be at work still
    await database.query(`update accounts set deletion_started_at = now() - interval '1 hour', deletion_advanced_at = null
      where deletion_started_at is not null`);
    expect(await accounts.finishDeletions()).toEqual([id]);
    await close();
    expect([await entries(), await count(`accounts where id = '${id}'`)]).toEqual([0, 0]);
    const scheduled = `domain like replace('${id}', '_', '') || '%' and next_check_at is not null`;
    expect(await count(`watched_names where ${scheduled}`)).toBe(0);
  });
});
