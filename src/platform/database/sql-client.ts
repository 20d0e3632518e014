import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { type PoolUsage, usageOf } from './pools.js';
import { DatabaseConfig } from '../../config/sections.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';
import { OutageLog } from '../logging/outage-log.js';
import { translateDatabaseError } from './database-unavailable.js';
import { PooledClient } from './pooled-client.js';
import { isInRequest } from '../concurrency/request-context.js';
import { openTransaction } from './open-transaction.js';
import { BoundSql, type SqlStatement } from './sql.js';

/** PostgreSQL ends a session that holds the lock and is idle for 5 s, since others wait for the lock. */
const LOCK_TRANSACTION = {
  name: 'take_turn',
  text: `select set_config('lock_timeout', '0', true),
           set_config('idle_in_transaction_session_timeout', '5s', true),
           set_config('jit', 'off', true), pg_advisory_xact_lock(hashtextextended($1, 0))`,
};

const LIMIT_FULL_SCAN = {
  name: 'limit_full_scan',
  text: `select set_config('statement_timeout', $1, true), set_config('enable_seqscan', 'on', true)`,
};

/**
 * Forces index plans, since a plan made for a nearly empty table would later scan the grown table. Before PostgreSQL
 * 18, `enable_seqscan=off` makes scans seem so costly that JIT would start.
 */
const PREFER_INDEXES = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Sends a statement before the previous statement has its result. The driver's types lack this option. */
const PIPELINED = { pipeline: true };

/** The longest wait for a connection. After this time, the database counts as unavailable. */
const CONNECT_TIMEOUT_MS = 5_000;

/** If the server does not end a statement at its timeout, the client ends the statement after this further time. */
const REPLY_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const SESSION_TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: STATEMENT_TIMEOUT_MS + REPLY_MS,
  keepAlive: true,
};
/** Reading ten million names takes about 30 seconds, so a full scan gets more time than other statements. */
const FULL_SCAN_TIMEOUT_MS = 600_000;

/** Bypasses the ORM, which would inline parameters and build entities: slow in queries for many rows. */
@Injectable()
export class SqlClient implements OnApplicationShutdown {
  private readonly log = new Logger(SqlClient.name);
  private readonly outage = OutageLog.forDependency('PostgreSQL');
  /** Separate pools, so that requests and background work never wait for each other's connections. */
  private readonly requests: pg.Pool;
  private readonly background: pg.Pool;
  private lockTaken: (statement: string, seconds: number) => void = () => undefined;

  constructor(config: DatabaseConfig) {
    this.requests = this.createPool(config);
    this.background = this.createPool(config);
  }

  /**
   * Joins the open unit of work, or else commits alone. Does not see changes of aggregates that are not written yet.
   * @throws DatabaseUnavailable outside of a unit of work; inside, the unit of work translates PostgreSQL's error
   */
  async run<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    const transaction = openTransaction();
    if (transaction === null) return this.runApart<Row>(statement, values);
    // Without a name, PostgreSQL plans the statement anew. On the ORM's connections, an old plan could scan a grown
    // table.
    const { text, values: bound } = toQuery(statement, values);
    // `types` replaces the ORM's conversion of values.
    return (await transaction.query<Row>({ text, values: bound, types: pg.types })).rows;
  }

  private async runApart<Row extends object>(statement: SqlStatement, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.pool.query<Row>(toQuery(statement, values));
      if (this.outage.isDown) this.outage.reportUp();
      return result.rows;
    } catch (error) {
      const stored = translateDatabaseError(error);
      if (stored instanceof DatabaseUnavailable) this.outage.reportDown(stored.message);
      throw stored;
    }
  }

  /** Runs a statement that reads whole tables, for at most ten minutes or the given time. */
  async runFullScan<Row extends object>(
    statement: SqlStatement,
    values: readonly unknown[] = [],
    timeoutMs = FULL_SCAN_TIMEOUT_MS,
  ): Promise<Row[]> {
    return this.withConnection(async (client) => {
      await client.query('begin');
      await client.query({ ...LIMIT_FULL_SCAN, values: [String(timeoutMs)] });
      const scan = { ...statement, values: [...values], query_timeout: timeoutMs + REPLY_MS };
      const { rows } = await client.query<Row>(scan);
      await client.query('commit');
      return rows;
    });
  }

  /**
   * Runs the statement in one process at a time. A separate statement takes the lock, because the lock must precede the
   * snapshot of `statement`.
   */
  runExclusive<Row extends object>(
    lockName: string,
    statement: SqlStatement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.withConnection(async (client) => {
      const askedAt = performance.now();
      const takeLock = async () => {
        await client.query({ ...LOCK_TRANSACTION, values: [lockName] });
        this.lockTaken(statement.name, (performance.now() - askedAt) / 1_000);
      };
      // All four statements are sent at once, so that the lock lasts for one round trip.
      const begun = client.query('begin');
      const locked = takeLock();
      const written = client.query<Row>({ ...statement, values: [...values] });
      // After a failure PostgreSQL ignores the other statements, and the commit becomes a rollback.
      const [{ rows }] = await Promise.all([written, begun, locked, client.query('commit')]);
      return rows;
    });
  }

  /** Calls the listener for each lock taken, with the statement's name and the seconds waited. */
  onLockTaken(listener: (statement: string, seconds: number) => void): void {
    this.lockTaken = listener;
  }

  poolUsage(): readonly PoolUsage[] {
    return [usageOf('requests', this.requests), usageOf('background', this.background)];
  }

  private get pool(): pg.Pool {
    return isInRequest() ? this.requests : this.background;
  }

  private createPool(config: DatabaseConfig): pg.Pool {
    if (config.databaseUrl === null) throw new Error('the database has no address yet');
    const pool = new pg.Pool({
      Client: PooledClient,
      connectionString: config.databaseUrl,
      max: config.databasePool,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: `namewatch ${config.role}`,
      options: PREFER_INDEXES,
      ...PIPELINED,
      ...SESSION_TIMEOUTS,
    });
    // Without a listener, the error of a lost idle connection would end the process.
    return pool.on('error', (error) => this.log.warn(`idle database connection lost: ${error.message}`));
  }

  private async withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    // Without a listener, the error of a connection lost between two queries would end the process.
    const onLost = (error: Error) => this.log.warn(`database connection lost: ${error.message}`);
    let client: pg.PoolClient | null = null;
    try {
      client = (await this.pool.connect()).on('error', onLost);
      const result = await work(client);
      client.off('error', onLost).release();
      return result;
    } catch (error) {
      client?.release(true); // destroys the connection with its open transaction
      throw translateDatabaseError(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.requests.end(), this.background.end()]);
  }
}

function toQuery(statement: SqlStatement, values: readonly unknown[]): pg.QueryConfig {
  const { name, text } = statement;
  return { name, text, values: [...(statement instanceof BoundSql ? statement.values : values)] };
}
