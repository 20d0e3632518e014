import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { redisForTests } from '../../support/servers/redis-server.mjs';
import { eventually } from '../../support/eventually.js';
import { composeFile } from '../../unit/deployment/compose-file.js';

const PASSWORD = 'kept-from-ps';

/** Stands for the image's entry point, and has the server listen where the test asks it. */
const ENTRYPOINT = `#!/bin/sh
shift
exec ${redisForTests()?.program ?? 'redis-server'} "$@" --port "$TEST_PORT" --dir "$TEST_FOLDER"
`;

let folder: string;
let server: ChildProcess;
let port: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-valkey-'));
  port = await freePort();
  writeFileSync(join(folder, 'docker-entrypoint.sh'), ENTRYPOINT);
  chmodSync(join(folder, 'docker-entrypoint.sh'), 0o755);
  const [shell = '', ...words] = (composeFile().services['valkey']?.command ?? []).map(
    (word) => word.replaceAll('$$', '$'), // as compose reads it
  );
  const env = { PATH: `${folder}:${process.env.PATH}`, REDISCLI_AUTH: PASSWORD };
  server = spawn(shell, words, { env: { ...env, TEST_PORT: String(port), TEST_FOLDER: folder }, stdio: 'ignore' });
});
afterEach(async () => {
  if (server.exitCode === null && server.signalCode === null) {
    const exit = once(server, 'exit');
    server.kill('SIGTERM');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Its answer to these lines, or an empty text while it does not listen. */
async function answerTo(...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.end(lines.map((line) => `${line}\r\n`).join(''));
    return await text(socket);
  } catch {
    return '';
  } finally {
    socket.destroy();
  }
}

/** The words of every process of this machine that this user may see. */
function allArguments(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readArguments(pid)).join('\n');
}

function readArguments(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;
onLinux('the Valkey server of docker-compose.yml', () => {
  it('requires a password, keeps all jobs, and shows the password in no process argument', async () => {
    expect(await eventually(() => answerTo('PING'), Boolean)).toContain('NOAUTH');
    const settings = await answerTo(`AUTH ${PASSWORD}`, 'CONFIG GET maxmemory-policy', 'CONFIG GET appendonly');
    expect(settings.split('\r\n')).toEqual(expect.arrayContaining(['+OK', 'noeviction', 'yes']));
    expect(allArguments()).not.toContain(PASSWORD);
  });
});
