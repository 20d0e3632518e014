import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { absent, found } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { after, Clock, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { DatabaseClock } from '../../../src/platform/database/database-clock.js';
import { RepairAfterPutBack } from '../../../src/platform/database/put-back-repair.js';
import { MovableClock } from '../../../src/testing/movable-clock.js';
import { readConfig } from '../../../src/config/config.js';
import { OperatorRepository } from '../../../src/domains/rate-limiting/operators.repository.js';
import { LookupRepository } from '../../../src/domains/lookups/lookups.repository.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import { running } from '../../support/running.js';
import { serviceDatabase, startTestService } from '../../support/servers/test-service.js';

let sql: SqlClient;
beforeAll(async () => {
  const settings = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  sql = new SqlClient(readConfig(settings));
});
afterAll(() => sql.onApplicationShutdown());

/** Moves the server's notes an hour later: the same as its clock an hour earlier. */
const putClockBack = async () => {
  await sql.run({
    name: 'back_operators',
    text: `update registry_operators set full_at = full_at + interval '1 hour'`,
  });
  await sql.run({
    name: 'back_windows',
    text: `update rate_limit_windows set ends_at = ends_at + interval '1 hour'`,
  });
};

describe('after the database clock was put back', () => {
  it('a registry can be queried again after the usual wait between two queries', async () => {
    const operators = new OperatorRepository(sql);
    const budget = { perSecond: 2, burst: 4, concurrency: 1 };
    const ask = () => operators.ask('operator', budget, { priority: 'check', patienceMs: 0 });
    for (let query = 0; query < 4; query++) expect(await ask()).toMatchObject({ answer: 'permit' });
    await putClockBack();
    const refused = await ask();
    expect(refused.answer).toBe('budget');
    expect(refused.waitMs).toBeLessThanOrEqual(500);
    await new Promise((resolve) => setTimeout(resolve, refused.waitMs));
    expect(await ask()).toMatchObject({ answer: 'permit' });
  });

  it('an account’s rate limit starts a new minute at once', async () => {
    const limits = () => new MinuteLimits(sql);
    for (const isAdmitted of [true, true, false])
      expect(await limits().admit('account', 2)).toMatchObject({ isAdmitted });
    await putClockBack();
    expect(await limits().admit('account', 2)).toMatchObject({ isAdmitted: true });
  });
});

describe('a service after its clock was put back', () => {
  const service = running(() => startTestService({ ROLE: 'api', SENDING: 'off' }));
  let clock: MovableClock;

  /**
   * Writes the rows of before; then the clock is put back. Leases go by the database's own time, so they are written
   * anew.
   */
  beforeAll(async () => {
    clock = MovableClock.takeOver(service.app.get(Clock, { strict: false }));
    await repair();
    for (const domain of ['routine.test', 'failing.test', 'daily.test'])
      await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain, interval_minutes: 60 } });
    const body = { type: 'webhook', target: 'https://hooks.example.com/x' };
    const channel = await service.call({ method: 'POST', path: '/v1/notifications', body });
    await service.call({ method: 'POST', path: `/v1/notifications/${String(channel.body['id'])}/test`, body: {} });
    await service.query(WRITTEN_BEFORE);
    clock.advance({ hours: -1 });
    await repair();
  });

  const repair = () => service.app.get(RepairAfterPutBack, { strict: false }).run();
  const minutesAhead = async (select: string) => {
    const { rows } = await service.query<{ at: Date }>(select);
    return rows.map(({ at }) => Math.round((at.getTime() - clock.now().getTime()) / MINUTE) + 0); // not -0
  };
  const count = async (table: string) => Number((await service.query(`select from ${table}`)).rowCount);

  const WRITTEN_BEFORE = `
    update watched_names set last_checked_at = now(), next_check_at = now() + interval '50 minutes'
      where domain = 'routine.test';
    update watched_names set last_checked_at = now() - interval '3 hours', next_check_at = now() + interval '30 minutes'
      where domain = 'failing.test';
    update watched_names set interval_minutes = 1440, last_checked_at = now() - interval '3 hours',
      next_check_at = now() + interval '20 hours' where domain = 'daily.test';
    update deliveries set next_attempt_at = now() + interval '5 minutes';
    insert into check_leases (domain, operator, token, until, starts)
      values ('routine.test', 'x', gen_random_uuid(), now() + interval '61 minutes', 1);
    insert into channel_leases (channel_id, account_id, host, token, until, served_at)
      select id, account_id, host, 'x', now() + interval '61 minutes', now() from notification_channels;
    insert into registry_canaries (source, zone, known, found_at, missing_at)
      values ('rdap', 'found', '[]', now(), null), ('rdap', 'missing', '[]', null, now());
    insert into registry_operators (operator, breaker_open_since, retry_at, openings) values ('x', now() + interval '1 hour', now() + interval '61 minutes', 1);
    insert into lookups (domain, observed_at, facts, observation) values ('old.test', now(), '{}', '{}');
    insert into lookups (domain, observed_at, in_zone_at) values ('in-zone.test', now(), now())`;

  it('plans the next check of each name within the name’s interval', async () => {
    // in this order: daily, failing, routine
    expect(await minutesAhead('select next_check_at as at from watched_names order by domain')).toEqual([
      21 * 60,
      0,
      50,
    ]);
  });

  it('moves the creation time of watchlist entries from the future to now', async () => {
    expect(await minutesAhead('select distinct created_at as at from watch_entries')).toEqual([0]);
  });

  it('retries a delivery after the same wait as if the clock had not changed', async () => {
    expect(await minutesAhead('select next_attempt_at as at from deliveries')).toEqual([5]);
  });

  it('ends the time-limited locks of other processes within a minute', async () => {
    for (const table of ['check_leases', 'channel_leases']) {
      const { rows } = await service.query<{ left: number }>(
        `select extract(epoch from until - now())::float8 as left from ${table}`,
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.left).toBeLessThanOrEqual(60);
    }
  });

  it('shortens a registry’s pause to five minutes, and discards successes dated in the future', async () => {
    expect(await count('registry_canaries where found_at is not null')).toBe(0);
    expect(await count('registry_canaries where missing_at is not null')).toBe(1);
    // by the database's clock, which was not moved here
    const { rows } = await service.query<{ minutes: number }>(
      `select round(extract(epoch from retry_at - now()) / 60)::int as minutes from registry_operators`,
    );
    expect(rows).toEqual([{ minutes: 5 }]);
  });

  it('answers only from lookups made after the change', async () => {
    expect(await count('lookups')).toBe(1); // what a zone said forbids only
    const lookups = service.app.get(LookupRepository, { strict: false });
    const name = DomainName.restore('own.example');
    const { rows } = await service.query<{ id: string }>('select id from accounts limit 1');
    const accountId = rows[0]?.id ?? '';
    const save = (facts: typeof absent, observedAt: Date) => {
      const rest = { source: 'rdap', evidence: [], witnesses: 2, recheckWithinMs: null } as const;
      const result = { kind: 'observation', facts, observedAt, ...rest } as const;
      return lookups.saveCheck(name, accountId, result, after(observedAt, MINUTE));
    };
    const fresh = () => lookups.findFresh(name, accountId, new Date(0));
    await save(absent, after(clock.now(), HOUR)); // by a process that has not noticed
    expect(await fresh()).toBeNull();
    await save(found({}), clock.now());
    expect(await fresh()).toMatchObject({ facts: { outcome: 'found' } });
    clock.advance({ minutes: 60 });
    expect(await fresh()).toBeNull();
  });
});

describe('a process after the clock was put forward', () => {
  const service = running(() => startTestService({ ROLE: 'api', SENDING: 'off' }));

  it('reads from the database since when all processes use the new time', async () => {
    const clock = new DatabaseClock(service.get(SqlClient));
    const since = after(new Date(), -5 * SECOND);
    for (const one of [after(since, -MINUTE), since, after(since, -SECOND)]) await clock['keepStepAhead'](one);
    const next = new DatabaseClock(service.get(SqlClient));
    await next.onModuleInit();
    next.onModuleDestroy();
    expect(next.steadySince()).toEqual(since);
  });
});
