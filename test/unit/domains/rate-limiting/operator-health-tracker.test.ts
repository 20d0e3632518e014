import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import type { OpenBreaker } from '../../../../src/domains/domain/lookup/circuit-breaker.js';
import { OperatorHealthTracker } from '../../../../src/domains/rate-limiting/operator-health-tracker.js';
import {
  type OperatorHealth,
  OperatorHealthRepository,
} from '../../../../src/domains/rate-limiting/operator-health.repository.js';
import { after, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

const OPERATOR = 'registry.example';
const clock = new TestClock();

/** The database, which may be slow or unavailable. */
class ScriptedRepository extends OperatorHealthRepository {
  readonly kept = new Map<string, OperatorHealth>();
  reads = 0;
  isAway = false;
  held: Promise<void> = Promise.resolve();

  constructor() {
    const settings = {
      DATABASE_URL: 'postgres://nouser@127.0.0.1:1/none',
      MASTER_KEY: randomBytes(32).toString('base64'),
    };
    super(new SqlClient(readConfig(settings)), clock);
  }

  override async findUnhealthy(): Promise<Map<string, OperatorHealth>> {
    this.reads += 1;
    const read = new Map(this.kept);
    await this.held;
    return read;
  }

  override saveBlock = (operator: string, blockedUntil: Date) => this.write(operator, { blockedUntil });
  override tripBreaker = (operator: string, openBreaker: OpenBreaker) => this.write(operator, { openBreaker });
  override resetBreaker = (operator: string) => this.write(operator, { openBreaker: null });

  private async write(operator: string, change: Partial<OperatorHealth>): Promise<void> {
    await this.held;
    if (this.isAway) throw new Error('away');
    this.kept.set(operator, { blockedUntil: null, openBreaker: null, ...this.kept.get(operator), ...change });
  }
}

let database: ScriptedRepository;
let health: OperatorHealthTracker;

beforeAll(() => void Logger.overrideLogger(false));
beforeEach(() => {
  database = new ScriptedRepository();
  health = new OperatorHealthTracker(database, clock);
});

const block = (retryAfterSeconds = 60) =>
  health.report(OPERATOR, { kind: 'throttled', domain: 'a.example', retryAfterSeconds });
const fail = (times = 10) => {
  for (let time = 0; time < times; time++) health.report(OPERATOR, { kind: 'failed', domain: `${time}.example` });
};

describe('the health of an operator', () => {
  it('stays known while it is being written', async () => {
    const written = Promise.withResolvers<void>();
    database.held = written.promise;
    block();
    database.held = Promise.resolve();
    await new Promise(setImmediate);
    await health.refresh();
    expect(health.get(OPERATOR).blockedUntil).toEqual(after(clock.now(), MINUTE));
    written.resolve();
    await new Promise(setImmediate);
    await health.refresh();
    expect(health.get(OPERATOR).blockedUntil).toEqual(after(clock.now(), MINUTE));
  });

  it('is read once at a time, so that no older read replaces a newer one', async () => {
    const read = Promise.withResolvers<void>();
    database.held = read.promise;
    const [first, second] = [health.refresh(), health.refresh()];
    await new Promise(setImmediate);
    expect(database.reads).toBe(1);
    read.resolve();
    await Promise.all([first, second]);
    database.kept.set(OPERATOR, { blockedUntil: after(clock.now(), SECOND), openBreaker: null });
    await health.refresh();
    expect(health.get(OPERATOR).blockedUntil).not.toBeNull();
  });

  it('is written completely when the database is back: breaker and block', async () => {
    database.isAway = true;
    block();
    fail();
    await new Promise(setImmediate);
    await health.refresh();
    expect(database.kept.size).toBe(0);
    expect(health.get(OPERATOR)).toMatchObject({ blockedUntil: expect.any(Date), openBreaker: { openings: 1 } });
    database.isAway = false;
    await health.refresh();
    expect(database.kept.get(OPERATOR)).toMatchObject({ blockedUntil: expect.any(Date), openBreaker: { openings: 1 } });
  });

  it('is written in its latest state: a breaker that closed meanwhile is not opened', async () => {
    database.isAway = true;
    fail();
    await new Promise(setImmediate);
    health.report(OPERATOR, { kind: 'answered' });
    database.isAway = false;
    await health.refresh();
    expect(database.kept.get(OPERATOR)?.openBreaker ?? null).toBeNull();
    expect(health.get(OPERATOR).openBreaker).toBeNull();
  });

  it('does not change by ignored outcomes', () => {
    fail(9);
    health.report(OPERATOR, { kind: 'ignored' });
    expect(health.get(OPERATOR).openBreaker).toBeNull();
    health.report(OPERATOR, { kind: 'failed', domain: 'last.example' });
    expect(health.get(OPERATOR).openBreaker).not.toBeNull();
    health.report(OPERATOR, { kind: 'ignored' });
    expect(health.get(OPERATOR).openBreaker).not.toBeNull();
  });

  it.each([null, 0])('counts a throttling with %j seconds as a failure', (retryAfterSeconds) => {
    fail(9);
    health.report(OPERATOR, { kind: 'throttled', domain: 'last.example', retryAfterSeconds });
    expect(health.get(OPERATOR)).toMatchObject({ blockedUntil: null, openBreaker: { openings: 1 } });
  });
});
