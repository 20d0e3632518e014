import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../src/process/postgres/free-port.js';
import { redisForTests } from '../test/support/servers/redis-server.mjs';
import { end, type Lasting } from './lasting.js';

/** Redis ends when the pipe closes whose other end this process has, however it dies. Its pid is told first. */
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

/** A Redis of the run's own, that keeps nothing on disk: it can be killed, flushed, filled and made silent. */
export class OwnRedis {
  private shell: ChildProcess | null = null;
  private pid = 0;

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(folder: string): Promise<OwnRedis> {
    const program = redisForTests()?.program ?? null;
    if (program === null) throw new Error('there is no redis-server or valkey-server on PATH: take --queue postgres');
    const redis = new OwnRedis(program, folder, await freePort());
    await redis.begin();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Killed, and after a while started again with nothing in it. */
  async away(lasting: Lasting): Promise<void> {
    const gone = this.shell ? once(this.shell, 'exit') : Promise.resolve();
    process.kill(this.pid, 'SIGKILL');
    await gone;
    await end(lasting);
    await this.begin();
  }

  async silent(lasting: Lasting): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    await end(lasting);
    process.kill(this.pid, 'SIGCONT');
  }

  async flush(): Promise<void> {
    await this.tell(['flushall']);
  }

  /** Takes nothing more for a while. */
  async full(lasting: Lasting): Promise<void> {
    await this.tell(['config', 'set', 'maxmemory', '1']);
    await end(lasting);
    await this.tell(['config', 'set', 'maxmemory', '0']);
  }

  async hangUp(): Promise<void> {
    await this.tell(['client', 'kill', 'type', 'normal']);
  }

  async stop(): Promise<void> {
    const gone = this.shell ? once(this.shell, 'exit') : Promise.resolve();
    this.shell?.stdin?.end();
    await gone;
  }

  private async begin(): Promise<void> {
    const command = [this.program, '--port', String(this.port), '--dir', this.folder, ...OPTIONS];
    const shell = spawn('/bin/sh', ['-c', UNTIL_THE_PIPE_CLOSES, 'redis-shell', ...command], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.shell = shell;
    const [pid] = (await once(shell.stdout, 'data')) as [Buffer];
    this.pid = Number(pid.toString());
    await this.tell(['ping']);
  }

  private async tell([command = '', ...words]: readonly string[]): Promise<void> {
    const client = new Redis(this.url, { maxRetriesPerRequest: 20, retryStrategy: () => 100 });
    client.on('error', () => undefined); // what was told fails, if it stays away
    try {
      await client.call(command, ...words);
    } finally {
      client.disconnect();
    }
  }
}
