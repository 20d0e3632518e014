import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DatabaseClock } from '../../../../src/platform/database/database-clock.js';
import type { SqlClient } from '../../../../src/platform/database/sql-client.js';

const RESYNC_INTERVAL_MS = 30_000;
const NOON = Date.parse('2026-11-23T12:00:00Z');

/** Monotonic, of this process. */
let elapsedMs: number;
/** How far the database is ahead of it. */
let databaseAheadMs: number;
/** How long a reading takes until the database reads its time, and from then on. */
let reading: { beforeMs: number; afterMs: number };

const database = {
  run: () => {
    elapsedMs += reading.beforeMs;
    const now = new Date(databaseAheadMs + elapsedMs);
    elapsedMs += reading.afterMs;
    return Promise.resolve([{ now }]);
  },
} as unknown as SqlClient;

let clock: DatabaseClock;
beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask'] });
  jest.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  [elapsedMs, databaseAheadMs, reading] = [1_000, NOON, { beforeMs: 1, afterMs: 1 }];
  clock = new DatabaseClock(database);
  await clock.onModuleInit();
});
afterEach(() => {
  clock.onModuleDestroy();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const readAgain = () => jest.advanceTimersByTimeAsync(RESYNC_INTERVAL_MS);
const errorMs = () => clock.now().getTime() - (databaseAheadMs + elapsedMs);

describe('the clock of the database', () => {
  it('is that of the database, whatever the machine’s', () => {
    expect(errorMs()).toBe(0);
    elapsedMs += 3_600_000;
    expect(errorMs()).toBe(0);
  });

  it.each([
    { beforeMs: 1, afterMs: 7_000 },
    { beforeMs: 7_000, afterMs: 1 },
  ])('does not move by a reading that takes seconds, %j', async (slow) => {
    reading = slow;
    await readAgain();
    expect(errorMs()).toBe(0);
  });

  it.each([60_000, -60_000])('follows a database whose time steps by %d ms', async (stepMs) => {
    databaseAheadMs += stepMs;
    await readAgain();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(2);
  });

  it('is as right as a slow first reading allows, and right after a quick one', async () => {
    clock.onModuleDestroy();
    clock = new DatabaseClock(database);
    reading = { beforeMs: 1, afterMs: 4_000 };
    await clock.onModuleInit();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(2_001);
    reading = { beforeMs: 1, afterMs: 1 };
    await readAgain();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(2);
  });
});
