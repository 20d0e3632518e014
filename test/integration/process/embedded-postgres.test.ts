import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { databaseUser } from '../../../src/process/postgres/database-user.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { askDatabase } from '../../support/database/database.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

/** One cluster for all tests: each starts it and stops it, which takes a hundredth of making one. */
const folder = openFolder();
const directory = DataDirectory.open(folder);
const running: EmbeddedPostgres[] = [];

async function start(): Promise<EmbeddedPostgres> {
  const { cluster } = directory;
  const postgres = await startEmbeddedPostgres({ cluster, password: directory.databasePassword(), fast: true });
  running.push(postgres);
  return postgres;
}

const portOf = (url: string) => Number(new URL(url).port);
const pidFile = join(folder, 'pg/postmaster.pid');
const postmaster = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);

/** Its shell, and what watches the pipe for the shell. */
function keepersOf(server: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const shell = parentOf(server);
  return [...pids.filter((pid) => pid !== server && parentOf(pid) === shell), shell];
}

function parentOf(pid: number): number {
  try {
    return Number(/PPid:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0; // it has ended
  }
}

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
  await AnotherProcess.endAll();
});
afterAll(removeFolders);

describe('the embedded PostgreSQL', () => {
  it('creates a database called namewatch that allows 200 connections', async () => {
    const { url } = await start();
    const [row] = await askDatabase(
      url,
      `select current_database() as name, current_setting('max_connections') as most`,
    );
    expect(row).toEqual({ name: 'namewatch', most: '200' });
  });

  it('writes no statement and no row to its log', async () => {
    const { url } = await start();
    const logged = await askDatabase(
      url,
      `select name, setting from pg_settings where name in
         ('log_statement', 'log_min_error_statement', 'log_error_verbosity', 'log_min_duration_statement') order by 1`,
    );
    expect(logged.map((row) => `${String(row['name'])}=${String(row['setting'])}`)).toEqual([
      'log_error_verbosity=terse',
      'log_min_duration_statement=-1',
      'log_min_error_statement=panic',
      'log_statement=none',
    ]);
  });

  it('requires a password', async () => {
    const { url } = await start();
    await expect(askDatabase(url.replace(directory.databasePassword(), 'guessed'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
  });

  it('listens on 127.0.0.1 and on no other address or socket', async () => {
    const { url } = await start();
    const [row] = await askDatabase(url, `select current_setting('unix_socket_directories') as sockets`);
    expect(row).toEqual({ sockets: '' });
    const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address, scopeid } of others.filter(
      ({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80'),
    )) {
      const socket = createConnection({ host: scopeid ? `${address}%${scopeid}` : address, port: portOf(url) });
      await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
    }
  });

  it('keeps its rows over a restart', async () => {
    const { url, stop } = await start();
    await askDatabase(url, 'create table names as select 1 as one');
    await stop();
    expect(await askDatabase((await start()).url, 'select * from names')).toEqual([{ one: 1 }]);
  });

  it('keeps its rows when the process that started it is killed and another starts it', async () => {
    const killed = await AnotherProcess.holding(folder, 'service', 'database');
    await askDatabase(killed.databaseUrl, 'create table killed_names as select 1 as one');
    await killed.kill();
    const { url } = await start();
    expect(await askDatabase(url, 'select * from killed_names')).toEqual([{ one: 1 }]);
  });

  it('is stopped and replaced by the next start if it outlived the killed service', async () => {
    const killed = await AnotherProcess.holding(folder, 'service', 'database');
    const orphan = postmaster();
    for (const pid of keepersOf(orphan)) process.kill(pid, 'SIGKILL');
    await killed.kill();
    expect(await askDatabase(killed.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);

    await start();
    expect(postmaster()).not.toBe(orphan);
    await expect(askDatabase(killed.databaseUrl, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('starts even if another program now has the process id of the old server', async () => {
    const first = await start();
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await first.stop();
    const stranger = spawn('sleep', ['60'], databaseUser());
    writeFileSync(pidFile, [stranger.pid, ...lines.slice(1)].join('\n'));

    const { url } = await start();
    expect(await askDatabase(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });

  it('reports the reason from PostgreSQL’s log if it ends unexpectedly', async () => {
    const { ended } = await start();
    process.kill(postmaster(), 'SIGINT');
    expect(await ended).toContain('database system is shut down');
  });

  it('reports the missing file if PostgreSQL cannot start without it', async () => {
    await (await start()).stop();
    const control = join(folder, 'pg/global/pg_control');
    renameSync(control, `${control}.away`);
    await expect(start()).rejects.toThrow(/PostgreSQL did not start on .*pg_control/);
    renameSync(`${control}.away`, control);
  });
});
