import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/process/postgres/embedded-postgres.js';
import { findPostmaster } from '../src/process/postgres/postmaster.js';
import { TcpProxy } from '../test/support/fakes/tcp-proxy.js';
import { end, type Lasting } from './lasting.js';

/**
 * A PostgreSQL of the run's own, behind a door on a port that stays: it can be crashed, cut off and made silent. It ends
 * with this process, however that ends.
 */
export class OwnPostgres {
  private asking: Promise<pg.Client> | null = null;
  private lastAsked: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: { readonly cluster: string; readonly password: string; readonly fast: true },
    private readonly door: TcpProxy,
    private readonly target: { readonly host: string; port: number },
    private server: EmbeddedPostgres,
  ) {}

  static async start(folder: string): Promise<OwnPostgres> {
    const password = randomBytes(12).toString('hex');
    const options = { cluster: join(folder, 'pg'), password, fast: true } as const;
    const server = await startEmbeddedPostgres(options);
    const target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
    const postgres = new OwnPostgres(options, await TcpProxy.start(target), target, server);
    // Nothing is forced to disk, which only a crash of the machine could tell; but a commit that was answered is
    // written, or a crash of PostgreSQL alone would lose it.
    await postgres.query('alter role current_user set synchronous_commit = on');
    return postgres;
  }

  /** Through the door. */
  get url(): string {
    const url = new URL(this.server.url);
    url.port = String(this.door.port);
    return url.href;
  }

  /** Past the door: what the run itself wants to know. Rejects while it is down. */
  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const asking = (this.asking ??= connected(this.server.url));
    try {
      const client = await asking;
      const asked = this.lastAsked.then(() => client.query<Row>(text, values));
      this.lastAsked = asked.catch(() => undefined);
      return (await asked).rows;
    } catch (error) {
      if (this.asking === asking) this.asking = null;
      throw error;
    }
  }

  /** Every process of it dies without a last word; it recovers from what is written. */
  async crash(): Promise<void> {
    const postmaster = findPostmaster(realpathSync(this.options.cluster));
    if (!postmaster) throw new Error('PostgreSQL does not run');
    process.kill(postmaster.pid, 'SIGQUIT');
    await this.server.ended;
    this.server = await startEmbeddedPostgres(this.options);
    this.target.port = Number(new URL(this.server.url).port);
  }

  async away(lasting: Lasting): Promise<void> {
    this.door.cut();
    await end(lasting);
    this.door.heal();
  }

  async silent(lasting: Lasting): Promise<void> {
    this.door.silence();
    await end(lasting);
    this.door.heal();
  }

  /** Every connection of the service is closed by the server. */
  async hangUp(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  async stop(): Promise<void> {
    await (await this.asking)?.end();
    await this.door.close();
    await this.server.stop();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // the next query says so
  await client.connect();
  return client;
}
