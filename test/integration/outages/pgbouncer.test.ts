import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReplicatedPostgres } from '../../faults/cluster/replicated-postgres.js';
import { explainDatabaseError } from '../../../src/platform/database/explain-database-error.js';
import { checkDatabase } from '../../../src/platform/diagnostics.js';
import { assertOwnSession, withSession } from '../../../src/platform/database/session.js';
import { databaseUser } from '../../../src/process/postgres/database-user.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { eventually } from '../../support/eventually.js';

jest.setTimeout(180_000);

const IGNORED =
  'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout,lock_timeout';

let folder: string;
let postgres: ReplicatedPostgres;
beforeAll(async () => {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error("this needs Debian's PgBouncer: apt-get install pgbouncer", { cause });
  }
  folder = mkdtempSync(join(tmpdir(), 'namewatch-pgbouncer-'));
  chmodSync(folder, 0o755);
  postgres = await ReplicatedPostgres.start(folder, 'asynchronous');
});
let stop: () => Promise<unknown> = () => Promise.resolve();
afterEach(() => stop());
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startPooler(mode: 'session' | 'transaction', ...settings: string[]): Promise<string> {
  const port = await freePort();
  const server = new URL(postgres.primaryUrl);
  const file = join(folder, `${mode}.ini`);
  const lines = [
    '[databases]',
    `namewatch = host=127.0.0.1 port=${server.port} user=postgres`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    ...settings,
  ];
  writeFileSync(file, lines.join('\n'));
  const pooler = spawn('pgbouncer', [file], { ...databaseUser(), stdio: 'ignore' });
  const ended = once(pooler, 'exit');
  stop = () => (pooler.kill('SIGKILL'), ended);
  const url = `postgres://postgres@127.0.0.1:${port}/namewatch`;
  await eventually(() => withSession(url, () => Promise.resolve(true)).catch(() => false), Boolean);
  return url;
}

async function attempt(url: string, settings = {}): Promise<string | null> {
  try {
    await withSession(url, (session) => assertOwnSession(session, url), settings);
    return 'has sessions';
  } catch (error) {
    return explainDatabaseError(error, url);
  }
}

describe('PgBouncer in front of PostgreSQL', () => {
  it('is refused in transaction mode, in each of ten attempts', async () => {
    const url = await startPooler('transaction', IGNORED);
    for (let n = 0; n < 10; n += 1)
      expect(await attempt(url)).toMatch(/^DATABASE_URL: a pooler \(PgBouncer\) in transaction mode answers/);
  });

  it('gets the same refusal from namewatch doctor as from the service', async () => {
    const url = await startPooler('transaction', IGNORED);
    expect(await checkDatabase(url)).toEqual({ check: 'database', ok: false, detail: await attempt(url) });
  });

  it('is refused if it rejects session settings such as statement_timeout', async () => {
    const url = await startPooler('session');
    expect(await attempt(url, { statement_timeout: 30_000 })).toMatch(/^DATABASE_URL: a pooler .* refuses a setting/);
  });

  it('is accepted in session mode', async () => {
    expect(await attempt(await startPooler('session', IGNORED))).toBe('has sessions');
  });
});
