import { execFile } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withSession } from '../../../src/platform/database/session.js';
import { CURRENT_XID } from '../../../src/platform/database/transaction-order.js';
import type { Manifest } from '../../../src/process/backup/manifest.js';
import { databaseUser } from '../../../src/process/postgres/database-user.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { freshDatabase } from '../../support/database/database.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { openFolder, removeFolders } from '../process/temporary-folders.js';

jest.setTimeout(180_000); // servers start and end, also on a busy machine

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const binaries = globSync('/usr/lib/postgresql/*/bin');
const original = join(openFolder(), 'original');
const run = promisify(execFile);
const servers: (() => Promise<unknown>)[] = [];

/** A server of Debian's packages with an empty database. @returns its address, as the owner */
async function startServer(bin: string): Promise<string> {
  const home = openFolder();
  const data = join(home, 'data');
  const user = databaseUser();
  mkdirSync(data);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid);
  chmodSync(data, 0o700);
  const tool = (name: string, ...words: string[]) => run(join(bin, name), words, { ...user, cwd: '/' });
  const port = await freePort();
  await tool('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  await tool('pg_ctl', '-D', data, '-o', options, '-l', join(data, 'log'), '-w', 'start');
  servers.push(() => tool('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop'));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await withSession(url, (session) => session.query('create database namewatch'));
  return url.replace(/postgres$/, 'namewatch');
}

const command = (words: string[], DATABASE_URL: string) =>
  runInProcess(words, { PATH: process.env.PATH ?? '', DATABASE_URL, MASTER_KEY, DATA_DIR: openFolder() });
const contentOf = (folder: string) => {
  const { tables } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  return Object.entries(tables).flatMap(([name, { sha256 }]) => (name === 'database_state' ? [] : [[name, sha256]]));
};

beforeAll(async () => {
  const source = await freshDatabase();
  expect(await command(['account', 'create', '--name', 'Café'], source)).toMatchObject({ code: 0 });
  await withSession(source, (session) =>
    session.query(
      `insert into events (id, xid, account_id, type, body, created_at)
       select 'evt_' || n, ${CURRENT_XID}, (select id from accounts), 'ping', e'{"a": "\\\\t\\n ü"}', now() from generate_series(1, 500) n`,
    ),
  );
  expect(await command(['backup', original], source)).toMatchObject({ code: 0, err: '' });
});
afterAll(async () => {
  for (const stop of servers) await stop();
  removeFolders();
});

describe('a PostgreSQL server from Debian’s packages', () => {
  it('is installed in at least one version', () => expect(binaries).not.toEqual([]));

  it.each(binaries)('can be restored into, and its backup then has the same rows: server in %s', async (bin) => {
    const server = await startServer(bin);
    expect(await command(['restore', original], server)).toMatchObject({ code: 0, err: '' });
    const back = join(openFolder(), 'back');
    expect(await command(['backup', back], server)).toMatchObject({ code: 0, err: '' });
    expect(contentOf(back)).toEqual(contentOf(original));
    const home = await freshDatabase();
    expect(await command(['restore', back], home)).toMatchObject({ code: 0, err: '' });
  });
});
