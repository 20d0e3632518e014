import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { postgresTokenBucket } from '../../../src/domains/infrastructure/rate-limiting/postgres-token-bucket.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { FixedWindowLimiter } from '../../../src/platform/rate-limit/fixed-window-limiter.js';
import { takeTokens } from '../../../src/platform/rate-limit/take-tokens.js';
import { RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { serviceDatabase } from '../../support/servers/test-service.js';

let sql: SqlClient;
beforeAll(async () => {
  const settings = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  sql = new SqlClient(readConfig(settings));
});
afterAll(() => sql.onApplicationShutdown());

/** What the server noted lies an hour later now: the same as its clock an hour earlier. */
const putClockBack = async () => {
  await sql.run({ name: 'back_tokens', text: 'update registry_tokens set full_at = full_at + 3600000' });
  await sql.run({
    name: 'back_windows',
    text: `update minute_windows set ends_at = ends_at + interval '1 hour'`,
  });
};

describe("after the database server's clock was put back by an hour", () => {
  it('a registry is asked again as soon as a whole bucket takes to refill', async () => {
    const bucket = postgresTokenBucket(sql, { points: 4, duration: 2 });
    expect(await takeTokens(bucket, 'operator', 4)).toMatchObject({ tokens: 4 });
    await putClockBack();
    const refused = await takeTokens(bucket, 'operator', 1);
    expect(refused.tokens).toBe(0);
    expect(refused.waitMs).toBeLessThanOrEqual(2_000);
  });

  it('an account begins another minute', async () => {
    const limiter = new FixedWindowLimiter(new RedisConnection(null), sql).shared(2);
    expect(await takeTokens(limiter, 'account', 2)).toMatchObject({ tokens: 2 });
    expect(await takeTokens(limiter, 'account', 1)).toMatchObject({ tokens: 0 });
    await putClockBack();
    expect(await takeTokens(limiter, 'account', 1)).toMatchObject({ tokens: 1 });
  });
});
