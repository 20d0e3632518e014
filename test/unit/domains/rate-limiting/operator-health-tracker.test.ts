import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import type { OpenBreaker } from '../../../../src/domains/domain/lookup/circuit-breaker.js';
import { OperatorHealthTracker } from '../../../../src/domains/infrastructure/rate-limiting/operator-health-tracker.js';
import {
  type OperatorHealth,
  PostgresOperatorHealthRepository,
} from '../../../../src/domains/infrastructure/rate-limiting/postgres-operator-health-repository.js';
import { after, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

const OPERATOR = 'registry.example';
const clock = new TestClock();

/** The database, which may be slow or away. */
class ScriptedStatements extends PostgresOperatorHealthRepository {
  readonly kept = new Map<string, OperatorHealth>();
  reads = 0;
  isAway = false;
  held: Promise<void> = Promise.resolve();

  constructor() {
    const settings = {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
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
    this.kept.set(operator, { ...{ blockedUntil: null, openBreaker: null }, ...this.kept.get(operator), ...change });
  }
}

let database: ScriptedStatements;
let standings: OperatorHealthTracker;

beforeAll(() => void Logger.overrideLogger(false));
beforeEach(() => {
  database = new ScriptedStatements();
  standings = new OperatorHealthTracker(database, clock);
});

const block = (retryAfterSeconds = 60) =>
  standings.report(OPERATOR, { kind: 'throttled', domain: 'a.example', retryAfterSeconds });
const fail = (times = 10) => {
  for (let time = 0; time < times; time++) standings.report(OPERATOR, { kind: 'failed', domain: `${time}.example` });
};

describe('how an operator stands', () => {
  it('is known on while it is being written', async () => {
    const written = Promise.withResolvers<void>();
    database.held = written.promise;
    block();
    database.held = Promise.resolve();
    await new Promise(setImmediate);
    await standings.refresh();
    expect(standings.get(OPERATOR).blockedUntil).toEqual(after(clock.now(), MINUTE));
    written.resolve();
    await new Promise(setImmediate);
    await standings.refresh();
    expect(standings.get(OPERATOR).blockedUntil).toEqual(after(clock.now(), MINUTE));
  });

  it('is read once at a time, so that no older reading comes after a newer one', async () => {
    const read = Promise.withResolvers<void>();
    database.held = read.promise;
    const [first, second] = [standings.refresh(), standings.refresh()];
    await new Promise(setImmediate);
    expect(database.reads).toBe(1);
    read.resolve();
    await Promise.all([first, second]);
    database.kept.set(OPERATOR, { blockedUntil: after(clock.now(), SECOND), openBreaker: null });
    await standings.refresh();
    expect(standings.get(OPERATOR).blockedUntil).not.toBeNull();
  });

  it('is written whole when the database is back: a breaker does not replace a block', async () => {
    database.isAway = true;
    block();
    fail();
    await new Promise(setImmediate);
    await standings.refresh();
    expect(database.kept.size).toBe(0);
    expect(standings.get(OPERATOR)).toMatchObject({ blockedUntil: expect.any(Date), openBreaker: { openings: 1 } });
    database.isAway = false;
    await standings.refresh();
    expect(database.kept.get(OPERATOR)).toMatchObject({ blockedUntil: expect.any(Date), openBreaker: { openings: 1 } });
  });

  it('is written as it is last: a breaker that mended meanwhile is not opened', async () => {
    database.isAway = true;
    fail();
    await new Promise(setImmediate);
    standings.report(OPERATOR, { kind: 'answered' });
    database.isAway = false;
    await standings.refresh();
    expect(database.kept.get(OPERATOR)?.openBreaker ?? null).toBeNull();
    expect(standings.get(OPERATOR).openBreaker).toBeNull();
  });

  it('is no better and no worse for what tells nothing', () => {
    fail(9);
    standings.report(OPERATOR, { kind: 'ignored' });
    expect(standings.get(OPERATOR).openBreaker).toBeNull();
    standings.report(OPERATOR, { kind: 'failed', domain: 'last.example' });
    expect(standings.get(OPERATOR).openBreaker).not.toBeNull();
    standings.report(OPERATOR, { kind: 'ignored' });
    expect(standings.get(OPERATOR).openBreaker).not.toBeNull();
  });

  it.each([null, 0])('counts a throttling with %j seconds as a failure', (retryAfterSeconds) => {
    fail(9);
    standings.report(OPERATOR, { kind: 'throttled', domain: 'last.example', retryAfterSeconds });
    expect(standings.get(OPERATOR)).toMatchObject({ blockedUntil: null, openBreaker: { openings: 1 } });
  });
});
