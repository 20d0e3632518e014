import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Where the Redis suites get their Redis from: a URL, a program to start, or null when there is neither and they are
 * left out. With REQUIRE_REDIS they are never left out.
 */
export function redisForTests() {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL };
  const program = ['redis-server', 'valkey-server'].map(onPath).find((path) => path !== undefined);
  if (program) return { program };
  if (process.env.REQUIRE_REDIS) throw new Error('REQUIRE_REDIS is set, but neither REDIS_URL nor a server on PATH');
  return null;
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A server that keeps nothing and evicts nothing, as BullMQ needs it, unless it has other options. */
export async function startRedis(program, others = []) {
  const dir = mkdtempSync(join(tmpdir(), 'namewatch-redis-'));
  const port = await freePort();
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
  const server = spawn(program, ['--port', String(port), '--dir', dir, ...options, ...others], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  await Promise.race([ready(server), exited.then(([code]) => Promise.reject(new Error(`${program} exited: ${code}`)))]);
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
}

function ready(server) {
  return new Promise((resolve) => {
    server.stdout.on('data', (chunk) => String(chunk).includes('Ready to accept connections') && resolve());
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
