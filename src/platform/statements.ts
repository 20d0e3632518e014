import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../config.js';

/** SQL with bound parameters. The name makes it a prepared statement, parsed once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Waiting longer than this for a connection means that the database is away or overloaded; milliseconds. */
const CONNECT_TIMEOUT = 5_000;

/**
 * Hot reads and set-based writes, each its own transaction, straight on the driver: the ORM inlines its parameters
 * and hydrates entities, which a list or a claim has no use for.
 */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly log = new Logger(Statements.name);
  private readonly pool: pg.Pool;

  constructor(config: Config) {
    if (config.databaseUrl === null) throw new Error('the database has no address yet');
    this.pool = new pg.Pool({
      connectionString: config.databaseUrl,
      max: config.databasePool,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      application_name: 'namewatch',
      statement_timeout: 30_000,
    });
    // An idle connection that the server closed is replaced at the next use; unheard, it would end the process.
    this.pool.on('error', (error) => this.log.warn(`idle database connection lost: ${error.message}`));
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.pool.query<Row>({ ...statement, values: [...values] });
    return result.rows;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
