import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { AccountLifecycle } from '../../../src/auth/index.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

jest.setTimeout(120_000); // whole processes start, also on a busy machine

const LAUNCHER = join(import.meta.dirname, '../../../bin/namewatch.mjs');
const ENTRIES = 4_000;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-interrupted-'));
const MASTER_KEY = randomBytes(32).toString('base64');

let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  service = await startTestService({ MASTER_KEY }); // all roles: periodic tasks run too
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

async function anAccountWithEntries(): Promise<string> {
  const { id } = await service.openAccount('business');
  await database.query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at)
     select 'n' || n || '.test', 'nobody', 60, now() + interval '1 day' from generate_series(1, $1::int) n`,
    [ENTRIES],
  );
  await database.query(
    `insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase, change_seq,
       has_confirmed_facts, boundary_at, paused, tags, intent, created_at, updated_at)
     select 'wl_' || n, $2, 'n' || n || '.test', 60, 30, 'registered', 'registered', 0, false, null, false, '{}', 'own',
       now(), now()
     from generate_series(1, $1::int) n`,
    [ENTRIES, id],
  );
  return id;
}

const countEntries = async (accountId: string) => {
  const { rowCount } = await database.query('select 1 from watch_entries where account_id = $1', [accountId]);
  return rowCount ?? 0;
};

describe('the deletion of an account, killed in the middle,', () => {
  it('is finished by another process, and the account cannot be resumed', async () => {
    const id = await anAccountWithEntries();
    const settings = { DATABASE_URL: service.databaseUrl, MASTER_KEY, DATA_DIR: folder, RDAP_BOOTSTRAP_URL: 'off' };
    const env = { ...ownEnvironment(), ...settings };
    const command = spawn(process.execPath, [LAUNCHER, 'account', 'delete', id, '--yes'], { env, stdio: 'ignore' });
    const ended = once(command, 'exit');
    await eventually(
      () => countEntries(id),
      (entries) => entries < ENTRIES,
      60_000, // the command starts beside other suites
    );
    command.kill('SIGKILL');
    await ended;
    expect(await countEntries(id)).toBeGreaterThan(0);

    const accounts = service.app.get(AccountLifecycle, { strict: false });
    await expect(accounts.resume(id)).rejects.toThrow('has begun');
    expect(await accounts.finishDeletions()).toEqual([]); // it may be at work still
    await database.query(`update accounts set deletion_started_at = now() - interval '1 hour', deletion_advanced_at = null
      where deletion_started_at is not null`);
    await accounts.finishDeletions();
    const found = () => database.query('select 1 from accounts where id = $1', [id]);
    await eventually(found, ({ rowCount }) => rowCount === 0); // the periodic task may have taken it
    expect(await countEntries(id)).toBe(0);
    expect((await database.query('select 1 from watched_names where next_check_at is not null')).rows).toEqual([]);
  });
});
