import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/config.js';
import { StoreUnavailable } from '../../kernel/unit-of-work.js';
import { OutageLog } from '../logging/outage-log.js';
import { storeErrorOf } from './database-unavailable.js';
import { isInRequest } from '../concurrency/request-context.js';

/** SQL with bound parameters. The name makes it a prepared statement, parsed once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Opens a transaction that has its turn. Whoever stops in the middle of it, a process that is suspended for instance,
 * loses it soon: the others wait for it. To the planner counting by steps looks far more costly than it is, which must
 * not bring its compiler into play.
 */
const TAKE_TURN = {
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
const BY_INDEX = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Waiting longer than this for a connection means that the database is away or overloaded; milliseconds. */
const CONNECT_TIMEOUT = 5_000;

/** What a statement may take, milliseconds: the server ends it first, and a server that is silent is left behind. */
const PATIENCE = { statement_timeout: 30_000, query_timeout: 35_000, keepAlive: true };

/**
 * Hot reads and set-based writes, each its own transaction, straight on the driver: the ORM inlines its parameters
 * and hydrates entities, which a list or a claim has no use for.
 */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly log = new Logger(Statements.name);
  private readonly outage = OutageLog.of('PostgreSQL');
  /** Two, so that neither requests nor background work wait for what the other holds; see separatePools. */
  private readonly requests: pg.Pool;
  private readonly background: pg.Pool;

  constructor(config: Config) {
    this.requests = this.poolFor(config);
    this.background = this.poolFor(config);
  }

  /** @throws StoreUnavailable when the database could not be asked */
  async run<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const result = await this.pool.query<Row>({ ...statement, values: [...values] });
      if (this.outage.isOpen) this.outage.back();
      return result.rows;
    } catch (error) {
      const stored = storeErrorOf(error);
      if (stored instanceof StoreUnavailable) this.outage.away(stored.message);
      throw stored;
    }
  }

  /** For what counts whole tables, which no index makes faster. */
  async runOverAll<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.inTransaction(async (client) => {
      await client.query('set local enable_seqscan = on');
      return (await client.query<Row>({ ...statement, values: [...values] })).rows;
    });
  }

  /**
   * One at a time over all processes, for statements that decide by what they count: each sees what those before it
   * wrote. A lock taken by the statement itself would not do, for it sees the database as it was before it waited.
   */
  async runInTurn<Row extends object>(turn: string, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.inTransaction(async (client) => {
      await client.query({ ...TAKE_TURN, values: [turn] });
      return (await client.query<Row>({ ...statement, values: [...values] })).rows;
    });
  }

  private get pool(): pg.Pool {
    return isInRequest() ? this.requests : this.background;
  }

  private poolFor(config: Config): pg.Pool {
    if (config.databaseUrl === null) throw new Error('the database has no address yet');
    const pool = new pg.Pool({
      connectionString: config.databaseUrl,
      max: config.databasePool,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      application_name: `namewatch ${config.role}`,
      options: BY_INDEX,
      ...PATIENCE,
    });
    // An idle connection that the server closed is replaced at the next use; unheard, it would end the process.
    return pool.on('error', (error) => this.log.warn(`idle database connection lost: ${error.message}`));
  }

  private async inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    try {
      return await this.transaction(work);
    } catch (error) {
      throw storeErrorOf(error);
    }
  }

  private async transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    // The query under way fails as well; between two queries nobody else would hear it, and it would end the process.
    const lost = (error: Error) => this.log.warn(`database connection lost: ${error.message}`);
    client.on('error', lost);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.off('error', lost).release();
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
