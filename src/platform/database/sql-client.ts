import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/config.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';
import { OutageLog } from '../logging/outage-log.js';
import { translateDatabaseError } from './database-unavailable.js';
import { isInRequest } from '../concurrency/request-context.js';

/** SQL with bound parameters. The name makes it a prepared statement, parsed once on each connection. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Opens a transaction that has its turn. Whoever stops in the middle of it, a process that is suspended for instance,
 * loses it soon: the others wait for it. To the planner counting by steps looks far more costly than it is, which must
 * not bring its compiler into play.
 */
const LOCK_TRANSACTION = {
  name: 'take_turn',
  text: `select set_config('idle_in_transaction_session_timeout', '5s', true),
           set_config('jit', 'off', true), pg_advisory_xact_lock(hashtextextended($1, 0))`,
};

/**
 * Statements here go by an index where there is one. A plan that was made while a table was nearly empty, as leases are
 * at any quiet moment, would go on reading all of it, once for each of hundreds of names, when it has long grown. Where
 * there is none, PostgreSQL before 18 takes the whole for so dear that it would compile it, each time. No statement takes
 * more than one core: there are others.
 */
const PREFER_INDEXES = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Waiting longer than this for a connection means that the database is away or overloaded; milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** What a statement may take, milliseconds: the server ends it first, and a server that is silent is left behind. */
const SESSION_TIMEOUTS = { statement_timeout: 30_000, query_timeout: 35_000, keepAlive: true };

/**
 * Hot reads and set-based writes, each its own transaction, straight on the driver: the ORM inlines its parameters
 * and hydrates entities, which a list or a claim has no use for.
 */
@Injectable()
export class SqlClient implements OnApplicationShutdown {
  private readonly log = new Logger(SqlClient.name);
  private readonly outage = OutageLog.forDependency('PostgreSQL');
  /** Two, so that neither requests nor background work wait for what the other holds; see separatePools. */
  private readonly requests: pg.Pool;
  private readonly background: pg.Pool;

  constructor(config: Config) {
    this.requests = this.createPool(config);
    this.background = this.createPool(config);
  }

  /** @throws DatabaseUnavailable when the database could not be asked */
  async run<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const result = await this.pool.query<Row>({ ...statement, values: [...values] });
      if (this.outage.isDown) this.outage.reportUp();
      return result.rows;
    } catch (error) {
      const stored = translateDatabaseError(error);
      if (stored instanceof DatabaseUnavailable) this.outage.reportDown(stored.message);
      throw stored;
    }
  }

  /** For what counts whole tables, which no index makes faster. */
  async runFullScan<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.inTransaction(async (client) => {
      await client.query('set local enable_seqscan = on');
      return (await client.query<Row>({ ...statement, values: [...values] })).rows;
    });
  }

  /**
   * One at a time over all processes, for statements that decide by what they count: each sees what those before it
   * wrote. A lock taken by the statement itself would not do, for it sees the database as it was before it waited.
   */
  async runExclusive<Row extends object>(
    lockName: string,
    statement: SqlStatement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.inTransaction(async (client) => {
      await client.query({ ...LOCK_TRANSACTION, values: [lockName] });
      return (await client.query<Row>({ ...statement, values: [...values] })).rows;
    });
  }

  private get pool(): pg.Pool {
    return isInRequest() ? this.requests : this.background;
  }

  private createPool(config: Config): pg.Pool {
    if (config.databaseUrl === null) throw new Error('the database has no address yet');
    const pool = new pg.Pool({
      connectionString: config.databaseUrl,
      max: config.databasePool,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: `namewatch ${config.role}`,
      options: PREFER_INDEXES,
      ...SESSION_TIMEOUTS,
    });
    // An idle connection that the server closed is replaced at the next use; unheard, it would end the process.
    return pool.on('error', (error) => this.log.warn(`idle database connection lost: ${error.message}`));
  }

  private async inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    try {
      return await this.transaction(work);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  private async transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    // The query under way fails as well; between two queries nobody else would hear it, and it would end the process.
    const onLost = (error: Error) => this.log.warn(`database connection lost: ${error.message}`);
    client.on('error', onLost);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.off('error', onLost).release();
      return result;
    } catch (error) {
      client.release(true); // with whatever it had open, and still heard
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.requests.end(), this.background.end()]);
  }
}
