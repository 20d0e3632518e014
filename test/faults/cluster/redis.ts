import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { redisForTests } from '../../support/servers/redis-server.mjs';
import { waitForEnd, type OutageDuration } from './postgres.js';

/** Prints the pid of Redis, and kills it when the pipe from this process closes. */
const UNTIL_THE_PIPE_CLOSES = `
  exec 3<&0
  "$@" 3<&- </dev/null >/dev/null &
  redis=$!
  echo $redis
  (read -r _ <&3; kill -CONT $redis; kill -KILL $redis) 2>/dev/null &
  watch=$!
  wait $redis
  kill -KILL $watch`;

const OPTIONS = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];

/** A Redis without persistence that can be killed, flushed, filled, paused and suspended. */
export class FaultyRedis {
  private shell: ChildProcess | null = null;
  private pid = 0;

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(folder: string): Promise<FaultyRedis> {
    const program = redisForTests()?.program ?? null;
    if (program === null) throw new Error('there is no redis-server or valkey-server on PATH: take --queue postgres');
    const redis = new FaultyRedis(program, folder, await freePort());
    await redis.spawnServer();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Killed, and later started again empty. */
  async away(lasting: OutageDuration): Promise<void> {
    const gone = this.shell ? once(this.shell, 'exit') : Promise.resolve();
    process.kill(this.pid, 'SIGKILL');
    await gone;
    await waitForEnd(lasting);
    await this.spawnServer();
  }

  async silent(lasting: OutageDuration): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    await waitForEnd(lasting);
    process.kill(this.pid, 'SIGCONT');
  }

  /** Keeps connections and their commands waiting. */
  async paused(lasting: number): Promise<void> {
    await this.command(['client', 'pause', String(lasting), 'all']);
    await waitForEnd(lasting);
  }

  async flush(): Promise<void> {
    await this.command(['flushall']);
  }

  /** Refuses writes for a while. */
  async full(lasting: OutageDuration): Promise<void> {
    await this.command(['config', 'set', 'maxmemory', '1']);
    await waitForEnd(lasting);
    await this.command(['config', 'set', 'maxmemory', '0']);
  }

  async hangUp(): Promise<void> {
    await this.command(['client', 'kill', 'type', 'normal']);
  }

  async stop(): Promise<void> {
    const gone = this.shell ? once(this.shell, 'exit') : Promise.resolve();
    this.shell?.stdin?.end();
    await gone;
  }

  private async spawnServer(): Promise<void> {
    const command = [this.program, '--port', String(this.port), '--dir', this.folder, ...OPTIONS];
    const shell = spawn('/bin/sh', ['-c', UNTIL_THE_PIPE_CLOSES, 'redis-shell', ...command], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.shell = shell;
    const [pid] = (await once(shell.stdout, 'data')) as [Buffer];
    this.pid = Number(pid.toString());
    await this.command(['ping']);
  }

  private async command([command = '', ...words]: readonly string[]): Promise<void> {
    const client = new Redis(this.url, { maxRetriesPerRequest: 20, retryStrategy: () => 100 });
    client.on('error', () => undefined); // the command itself fails
    try {
      await client.call(command, ...words);
    } finally {
      client.disconnect();
    }
  }
}
