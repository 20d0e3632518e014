import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { SqlStatement, SqlClient } from '../database/sql-client.js';

/** `points` per `duration` seconds. */
export interface RateLimit {
  readonly points: number;
  readonly duration: number;
}

/** The library's PostgreSQL limiter with our own statement and connections. */
export abstract class SqlRateLimiter<Row extends object> extends RateLimiterPostgres {
  constructor(
    private readonly sqlClient: SqlClient,
    private readonly statement: SqlStatement,
    { points, duration }: RateLimit,
  ) {
    super({
      ...{ storeClient: sqlClient, storeType: 'pool', tableCreated: true, clearExpiredByTimeout: false },
      ...{ keyPrefix: '', points, duration },
    });
  }

  protected abstract parameters(key: string, tokens: number): readonly unknown[];
  protected abstract toResult(row: Row, tokens: number): RateLimiterRes;

  async _upsert(key: string, tokens: number): Promise<Row> {
    const [row] = await this.sqlClient.run<Row>(this.statement, this.parameters(key, tokens));
    if (!row) throw new Error(`${this.statement.name} returned no row`);
    return row;
  }

  _getRateLimiterRes(_key: string, tokens: number, row: Row): RateLimiterRes {
    return this.toResult(row, tokens);
  }
}
