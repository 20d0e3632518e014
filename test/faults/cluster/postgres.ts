import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { findPostmaster } from '../../../src/process/postgres/postmaster.js';
import { TcpProxy } from '../../world/proxy.js';

/** Milliseconds, or a promise that ends the outage. */
export type OutageDuration = number | Promise<unknown>;

export async function waitForEnd(of: OutageDuration): Promise<void> {
  await (typeof of === 'number' ? pause(of) : of);
}

/** A restart with recovery on a busy machine. */
const RESTART_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 100;

/**
 * A PostgreSQL behind a proxy with a fixed port: it can be crashed, disconnected, made silent and slowed down. It ends with this
 * process.
 */
export class FaultyPostgres {
  private client: Promise<pg.Client> | null = null;
  private lastQuery: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: { readonly cluster: string; readonly password: string; readonly fast: true },
    private readonly proxy: TcpProxy,
    private readonly target: { readonly host: string; port: number },
    private server: EmbeddedPostgres,
  ) {}

  static async start(folder: string): Promise<FaultyPostgres> {
    const password = randomBytes(12).toString('hex');
    const options = { cluster: join(folder, 'pg'), password, fast: true } as const;
    const server = await startEmbeddedPostgres(options);
    const target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
    const postgres = new FaultyPostgres(options, await TcpProxy.start(target), target, server);
    // no fsync, which matters only when the machine crashes; but an acknowledged commit is
    // written, or a crash of PostgreSQL would lose it
    await postgres.query('alter role current_user set synchronous_commit = on');
    return postgres;
  }

  /** Leads through the proxy. */
  get url(): string {
    return this.proxy.through(this.server.url);
  }

  /** Bypasses the proxy, for the harness itself. Repeated while PostgreSQL restarts: idempotent statements only. */
  query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return retryUntilRestarted(() => this.queryOnce<Row>(text, values));
  }

  /** @returns the only column of the only row, named `value` */
  async queryNumber(text: string, values: unknown[] = []): Promise<number> {
    const [row] = await this.query<{ value: number }>(text, values);
    return row?.value ?? 0;
  }

  /** Immediate shutdown, then a start with recovery. */
  async crash(): Promise<void> {
    const postmaster = findPostmaster(realpathSync(this.options.cluster));
    if (!postmaster) throw new Error('PostgreSQL does not run');
    process.kill(postmaster.pid, 'SIGQUIT');
    await this.server.ended;
    // backends that have not ended yet still hold the shared memory
    this.server = await retryUntilRestarted(() => startEmbeddedPostgres(this.options));
    this.target.port = Number(new URL(this.server.url).port);
  }

  async away(lasting: OutageDuration): Promise<void> {
    this.proxy.cut();
    await waitForEnd(lasting);
    this.proxy.heal();
  }

  async silent(lasting: OutageDuration): Promise<void> {
    this.proxy.silence();
    await waitForEnd(lasting);
    this.proxy.heal();
  }

  /** Each statement of the service takes this much longer. */
  async slow(lasting: OutageDuration, delayMs: number): Promise<void> {
    this.proxy.become({ questionsDelayMs: delayMs });
    await waitForEnd(lasting);
    this.proxy.become({});
  }

  /** Each answer reaches the service this much later. */
  async answersLate(lasting: OutageDuration, delayMs: number): Promise<void> {
    this.proxy.become({ answersDelayMs: delayMs });
    await waitForEnd(lasting);
    this.proxy.become({});
  }

  /** Every connection of the service is closed by the server. */
  async hangUp(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  async stop(): Promise<void> {
    await this.client?.then((client) => client.end()).catch(() => undefined); // its server may be gone
    await this.proxy.close();
    await this.server.stop();
  }

  private async queryOnce<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const connecting = (this.client ??= connected(this.server.url));
    try {
      const client = await connecting;
      const rows = this.lastQuery.then(() => client.query<Row>(text, values));
      this.lastQuery = rows.catch(() => undefined);
      return (await rows).rows;
    } catch (error) {
      if (this.client === connecting) this.client = null;
      throw error;
    }
  }
}

/** @throws the last error after the timeout, and what the server says about the statement itself at once */
async function retryUntilRestarted<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const until = Date.now() + RESTART_TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isStatementError(error) || Date.now() > until) throw error;
    }
    await pause(RETRY_DELAY_MS);
  }
}

/** SQLSTATE 57Pxx: the server is shutting down or starting. Other errors of a server are not about its restart. */
function isStatementError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !error.code?.startsWith('57P');
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // the next query fails
  await client.connect();
  return client;
}
