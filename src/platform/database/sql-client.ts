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

/**
 * Takes an advisory lock for the transaction. Ends idle holders after 5 s, since others wait for them. JIT is off: the
 * planner overestimates statements that count step by step.
 */
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
 * Forces index plans. A generic plan that was made while a table was nearly empty (leases at a quiet moment) would keep
 * scanning it after it has grown. JIT is off: with seqscan disabled, PostgreSQL before 18 estimates a plan without an
 * index so high that it compiles it each time. One core per statement leaves the others free.
 */
const PREFER_INDEXES = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Sends each statement without waiting for the result before. The driver's types lack this option. */
const PIPELINED = { pipeline: true };

/** After this wait for a connection, the database counts as unavailable. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The client's timeout comes this much later than the server's, for a server that does not respond. */
const REPLY_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const SESSION_TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: STATEMENT_TIMEOUT_MS + REPLY_MS,
  keepAlive: true,
};
/** Reading ten million names takes about as long as the normal timeout, so this is longer. */
const FULL_SCAN_TIMEOUT_MS = 600_000;

/**
 * Runs statements straight on the driver. The ORM would inline parameters and build entities, which a list or a claim
 * does not need. A statement joins the open unit of work; without one it is a transaction of its own.
 */
@Injectable()
export class SqlClient implements OnApplicationShutdown {
  private readonly log = new Logger(SqlClient.name);
  private readonly outage = OutageLog.forDependency('PostgreSQL');
  /** Two pools, so that requests and background work never wait for each other's connections; see OrmPools. */
  private readonly requests: pg.Pool;
  private readonly background: pg.Pool;
  private lockTaken: (statement: string, seconds: number) => void = () => undefined;

  constructor(config: DatabaseConfig) {
    this.requests = this.createPool(config);
    this.background = this.createPool(config);
  }

  /**
   * Runs a statement. It does not see changes of aggregates, which the unit of work writes at its end.
   * @throws DatabaseUnavailable
   */
  async run<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    const transaction = openTransaction();
    if (transaction === null) return this.runApart<Row>(statement, values);
    // Has no name, since the ORM's connections do not prefer indexes. Uses the driver's types, which the ORM replaces.
    const { text, values: bound } = toQuery(statement, values);
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

  /** Reads whole tables, for which no index helps, in at most ten minutes or the given time. */
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
   * Runs a statement that decides by what it counts. All processes take turns, so each run sees the writes of earlier
   * runs. A lock inside the statement would not do: its snapshot is older than the wait.
   *
   * All is sent at once: waiting for each result would hold the lock for as many round trips. If the process dies
   * meanwhile, its claims may be committed, and are free again when their lease ends.
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
      // After a failure PostgreSQL ignores the other statements, and the commit becomes a rollback.
      const begun = client.query('begin');
      const locked = takeLock();
      const written = client.query<Row>({ ...statement, values: [...values] });
      const [{ rows }] = await Promise.all([written, begun, locked, client.query('commit')]);
      return rows;
    });
  }

  /** Registers a listener for each statement that gets its lock, and the seconds that it waited. */
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
    // An idle connection that the server closed is replaced at the next use; without a listener the error would end the
    // process.
    return pool.on('error', (error) => this.log.warn(`idle database connection lost: ${error.message}`));
  }

  private async withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    // A running query fails with its own error; between two queries this listener keeps the error from ending the
    // process.
    const onLost = (error: Error) => this.log.warn(`database connection lost: ${error.message}`);
    let client: pg.PoolClient | null = null;
    try {
      client = (await this.pool.connect()).on('error', onLost);
      const result = await work(client);
      client.off('error', onLost).release();
      return result;
    } catch (error) {
      client?.release(true); // destroyed with its open transaction; the listener stays
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
