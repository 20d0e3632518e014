import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { AuthFailureLimiter } from '../../../src/auth/authentication/auth-failure-limiter.js';
import { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import { readConfig } from '../../../src/config/config.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { Listening } from '../../world/listening.js';

/** A database on a busy machine answers late; the timeout has a test of its own. */
const PATIENT = { timeoutMs: 30_000, retryAfterMs: 0 };
const MASTER_KEY = randomBytes(32).toString('base64');
const connect = (url: string) => new SqlClient(readConfig({ MASTER_KEY, DATABASE_URL: url }));

/** How many of so many requests are admitted. */
async function admitted(limits: MinuteLimits, account: string, limit: number, requests: number): Promise<number> {
  const admissions = await Promise.all(Array.from({ length: requests }, () => limits.admit(account, limit)));
  return admissions.filter(({ isAdmitted }) => isAdmitted).length;
}

describe('request limits', () => {
  const away = connect('postgres://none@127.0.0.1:1/none');
  const unreachable = new MinuteLimits(away);
  let there: SqlClient;
  let one: MinuteLimits;
  let other: MinuteLimits;
  /** As another process has them. */
  const limits = () => new MinuteLimits(there, PATIENT);
  beforeAll(async () => {
    there = connect(await serviceDatabase());
    [one, other] = [limits(), limits()];
  });
  afterAll(() => Promise.all([there, away].map((statements) => statements.onApplicationShutdown())));

  it('admit exactly as many requests as the plan allows, at once or in sequence', async () => {
    expect(await admitted(one, randomUUID(), 60, 100)).toBe(60);
    const turns = randomUUID();
    let inTurn = 0;
    for (let i = 0; i < 100; i++) inTurn += await admitted(one, turns, 60, 1);
    expect(inTurn).toBe(60);
  });

  it('report the remaining requests and the time until the limit resets', async () => {
    const account = randomUUID();
    await admitted(one, account, 60, 3);
    const { waitMs, ...admission } = await one.admit(account, 60);
    expect(admission).toEqual({ isAdmitted: true, remaining: 56 });
    expect(waitMs).toBeGreaterThan(30_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
  });

  it('are shared by all processes', async () => {
    const account = randomUUID();
    const both = await Promise.all([one, other].map((limits) => admitted(limits, account, 60, 60)));
    expect((both[0] ?? 0) + (both[1] ?? 0)).toBe(60);
    expect(await admitted(other, account, 60, 5)).toBe(0);
  });

  it('are separate for each account', async () => {
    const [noisy, quiet] = [randomUUID(), randomUUID()];
    await admitted(one, noisy, 60, 80);
    expect(await admitted(one, quiet, 60, 1)).toBe(1);
  });

  it('change at once with the plan, and count the requests made before', async () => {
    const account = randomUUID();
    expect(await admitted(one, account, 60, 70)).toBe(60);
    expect(await admitted(one, account, 100, 70)).toBe(30); // the ten that were refused count too
    expect(await admitted(one, account, 60, 1)).toBe(0);
  });

  it('are halved while the database cannot be reached', async () => {
    expect(await admitted(unreachable, randomUUID(), 60, 100)).toBe(30);
    expect(await admitted(unreachable, randomUUID(), 1, 10)).toBe(1);
  });

  it('lock out an IPv6 /64 network after sixty wrong keys, in all processes', async () => {
    const [here, there] = [new AuthFailureLimiter(limits()), new AuthFailureLimiter(limits())];
    const address = '2001:db8:0:1:ffff::1';
    for (let i = 0; i < 59; i++) await here.recordFailure(`2001:db8:0:1::${i.toString(16)}`);
    expect(here.lockedOutSeconds(address)).toBe(0);
    await here.recordFailure(address);
    expect(here.lockedOutSeconds(address)).toBeGreaterThan(50);
    expect(here.lockedOutSeconds('2001:db8:0:2::1')).toBe(0);
    await there.recordFailure(address);
    expect(there.lockedOutSeconds(address)).toBeGreaterThan(50);
  });
});

it('a database that does not answer delays one request, but not the next one', async () => {
  const silent = await Listening.on(createServer());
  const statements = connect(`postgres://a@${silent.host}/none`);
  const limits = new MinuteLimits(statements);
  expect(await limits.admit('acc_silent', 60)).toMatchObject({ isAdmitted: true });
  const asked = silent.sockets.size;
  expect(await limits.admit('acc_other', 60)).toMatchObject({ isAdmitted: true });
  expect([asked, silent.sockets.size]).toEqual([1, 1]);
  await silent.close();
  await statements.onApplicationShutdown();
});
