import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Statements } from '../../../platform/statements.js';
import type { Bucket } from './token-buckets.js';

/** The same bucket as the script's for Redis. `free` is what was there before this took its part. */
const TAKE = {
  name: 'registry_tokens_take',
  text: `
    insert into registry_tokens as t (operator, full_at, free)
    select $1, c.now + least($2::int, $3::int) * $4::float8, $3::int
    from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) c
    on conflict (operator) do update set (full_at, free) = (
      select b.full_at + least(b.free, $2::int) * $4::float8, b.free
      from (
        select greatest(t.full_at, c.now) as full_at,
               greatest(0, floor((c.now - greatest(t.full_at, c.now) + 0.001) / $4::float8 + $3::int))::int as free
        from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) c
      ) b)
    returning free,
              greatest(0, ceil(full_at - extract(epoch from clock_timestamp())::float8 * 1000 - ($3::int - 1) * $4::float8))
                as wait`,
};

interface Taken {
  readonly free: number;
  readonly wait: number;
}

/** The library's limiter for PostgreSQL with another statement, on the service's own connections. */
class SqlLimiter extends RateLimiterPostgres {
  constructor(
    private readonly statements: Statements,
    { points, duration }: Bucket,
  ) {
    super({
      storeClient: statements,
      storeType: 'pool',
      keyPrefix: '',
      tableCreated: true,
      clearExpiredByTimeout: false,
      points,
      duration,
    });
  }

  async _upsert(operator: string, tokens: number): Promise<Taken> {
    const apart = (this.duration * 1_000) / this.points;
    const [taken] = await this.statements.run<Taken>(TAKE, [operator, tokens, this.points, apart]);
    if (!taken) throw new Error('the database took no token');
    return taken;
  }

  _getRateLimiterRes(_operator: string, tokens: number, { free, wait }: Taken): RateLimiterRes {
    const consumed = this.points - free + tokens;
    return new RateLimiterRes(Math.max(0, this.points - consumed), wait, consumed, false);
  }
}

export function sqlLimiter(statements: Statements, bucket: Bucket): RateLimiterAbstract {
  return new SqlLimiter(statements, bucket);
}
