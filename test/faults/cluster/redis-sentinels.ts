import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';

/** How long a primary is silent before the Sentinels take it for lost. */
const DOWN_AFTER_MS = 1_000;
const PRIMARY_NAME = 'namewatch';

/** Paths of PEM files. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

interface Server {
  readonly port: number;
  readonly process: ChildProcess;
}

/** A primary, its replica, and three Sentinels that put the replica in its place. All end with `stop`. */
export class RedisWithSentinels {
  private constructor(
    private readonly primary: Server,
    private readonly replica: Server,
    private readonly sentinels: readonly Server[],
    private readonly password: string,
    private readonly tls: TlsFiles | null,
  ) {}

  /** @param tls with it they speak nothing but TLS */
  static async start(folder: string, password: string, tls: TlsFiles | null = null): Promise<RedisWithSentinels> {
    const startServer = (name: string, lines: readonly string[], args: readonly string[] = []) =>
      spawnServer(join(folder, name), tls, lines, args);
    const login = [`requirepass ${password}`, `masterauth ${password}`, 'save ""', 'maxmemory-policy noeviction'];
    const primary = await startServer('primary', login);
    const replica = await startServer('replica', [...login, `replicaof 127.0.0.1 ${primary.port}`]);
    const watch = [
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} 2`,
      `sentinel auth-pass ${PRIMARY_NAME} ${password}`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY_NAME} 5000`,
    ];
    const sentinels = await Promise.all([1, 2, 3].map((n) => startServer(`sentinel-${n}`, watch, ['--sentinel'])));
    const redis = new RedisWithSentinels(primary, replica, sentinels, password, tls);
    await redis.whenWatched();
    return redis;
  }

  /** For REDIS_URL. */
  get url(): string {
    const hosts = this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
    const [scheme, query] = this.tls ? ['rediss', `?sslrootcert=${this.tls.ca}`] : ['redis', ''];
    return `${scheme}+sentinel://:${this.password}@${hosts}/${PRIMARY_NAME}${query}`;
  }

  /** The replica receives nothing any more; what is written from now on is on the primary only. */
  async pauseReplication(): Promise<void> {
    await this.command(this.replica, 'config', 'set', 'masterauth', 'wrong');
    await this.command(this.primary, 'client', 'kill', 'type', 'replica');
  }

  /** The primary is lost for good, with all its memory. */
  async losePrimary(): Promise<void> {
    const gone = once(this.primary.process, 'exit');
    this.primary.process.kill('SIGKILL');
    await gone;
  }

  async isPromoted(): Promise<boolean> {
    return String(await this.command(this.replica, 'info', 'replication')).includes('role:master');
  }

  async stop(): Promise<void> {
    await Promise.all(
      [this.primary, this.replica, ...this.sentinels].map(async ({ process: server }) => {
        if (server.exitCode !== null || server.signalCode !== null) return;
        const gone = once(server, 'exit');
        server.kill('SIGKILL');
        await gone;
      }),
    );
  }

  /** The Sentinels find each other and the replica by the primary. */
  private async whenWatched(): Promise<void> {
    for (const sentinel of this.sentinels)
      for (;;) {
        const about = String(await this.send(sentinel.port, null, ['info', 'sentinel']));
        if (/slaves=1,sentinels=3/.test(about)) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
  }

  private command({ port }: Server, ...words: readonly string[]): Promise<unknown> {
    return this.send(port, this.password, words);
  }

  private async send(port: number, password: string | null, [name = '', ...words]: readonly string[]) {
    const login = {
      ...(password === null ? {} : { password }),
      ...(this.tls ? { tls: { ca: readFileSync(this.tls.ca) } } : {}),
    };
    const client = new Redis({ host: '127.0.0.1', port, ...login, maxRetriesPerRequest: 50, retryStrategy: () => 100 });
    client.on('error', () => undefined); // the command itself fails
    try {
      return await client.call(name, ...words);
    } finally {
      client.disconnect();
    }
  }
}

async function spawnServer(
  folder: string,
  tls: TlsFiles | null,
  lines: readonly string[],
  args: readonly string[],
): Promise<Server> {
  mkdirSync(folder);
  const port = await freePort();
  const files = tls && [`tls-cert-file ${tls.cert}`, `tls-key-file ${tls.key}`, `tls-ca-cert-file ${tls.ca}`];
  const listen = files
    ? [...files, 'port 0', `tls-port ${port}`, 'tls-replication yes', 'tls-auth-clients no']
    : [`port ${port}`];
  const file = join(folder, 'redis.conf');
  writeFileSync(file, ['bind 127.0.0.1', ...listen, `dir ${folder}`, ...lines, ''].join('\n'));
  return { port, process: spawn('redis-server', [file, ...args], { stdio: 'ignore' }) };
}
