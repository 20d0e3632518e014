import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { DatabaseClock } from '../../../../src/platform/database/database-clock.js';
import type { SqlClient } from '../../../../src/platform/database/sql-client.js';

const RESYNC_INTERVAL_MS = 30_000;
const NOON = Date.parse('2026-11-23T12:00:00Z');
const QUICK = { beforeMs: 1, afterMs: 1 };

/** How long a reading takes until the database reads its time, and from then on. */
interface Duration {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Monotonic, of this process. */
let elapsedMs: number;
/** How far the database is ahead of that timer. */
let databaseAheadMs: number;
/** The durations of the next readings; later readings are quick. */
let readings: Duration[];
/** How far the machine's clock and its uptime are ahead of the monotonic timer: both count the time that it sleeps. */
let machineAheadMs: number;
let uptimeMs: number;
/** The time that a process stored when it noticed a step. */
let storedSteadySinceMs: number | null = null;
let clock: DatabaseClock;
let warn: jest.SpiedFunction<Logger['warn']>;

const database = {
  run: ({ name }: { readonly name: string }) => {
    if (name !== 'clock_now') return Promise.resolve([]);
    const { beforeMs, afterMs } = readings.shift() ?? QUICK;
    elapsedMs += beforeMs;
    const nowMs = databaseAheadMs + elapsedMs;
    elapsedMs += afterMs;
    return Promise.resolve([{ nowMs, steadySinceMs: storedSteadySinceMs }]);
  },
} as unknown as SqlClient;

class ClockOnMachine extends DatabaseClock {
  protected override readUptimeMs(): number {
    return uptimeMs + elapsedMs;
  }
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask'] });
  jest.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  jest.spyOn(Date, 'now').mockImplementation(() => machineAheadMs + elapsedMs);
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
});
afterEach(() => {
  clock.onModuleDestroy();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

async function startClock(...slow: Duration[]): Promise<void> {
  [elapsedMs, uptimeMs, databaseAheadMs, machineAheadMs, readings] = [1_000, 9_000, NOON, NOON / 2, slow];
  clock = new ClockOnMachine(database);
  await clock.onModuleInit();
}

const readAgain = (afterMs = RESYNC_INTERVAL_MS) => jest.advanceTimersByTimeAsync(afterMs);
const aheadByMs = () => clock.now().getTime() - (databaseAheadMs + elapsedMs);
const sumMs = ({ beforeMs, afterMs }: Duration) => beforeMs + afterMs;

describe('a clock that follows the database', () => {
  it('shows the time of the database, whatever the clock of the machine says', async () => {
    await startClock();
    expect(aheadByMs()).toBe(1);
    elapsedMs += 3_600_000;
    expect(aheadByMs()).toBe(1);
  });

  it('is never behind the database, and ahead by at most the duration of its quickest query', async () => {
    const duration = fc.record({
      beforeMs: fc.integer({ min: 0, max: 5_000 }),
      afterMs: fc.integer({ min: 0, max: 5_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(duration, { minLength: 1, maxLength: 12 }), async (slow) => {
        await startClock(...slow);
        let quickestMs = Infinity;
        for (let taken = 0; taken < slow.length;) {
          const nowTaken = slow.length - readings.length;
          quickestMs = Math.min(quickestMs, ...slow.slice(taken, nowTaken).map(sumMs));
          taken = nowTaken;
          expect(aheadByMs()).toBeGreaterThan(-1);
          expect(aheadByMs()).toBeLessThanOrEqual(quickestMs + 20);
          if (taken < slow.length) await readAgain(1_000);
        }
        clock.onModuleDestroy();
      }),
    );
  });

  it.each([
    { beforeMs: 1, afterMs: 7_000 },
    { beforeMs: 7_000, afterMs: 1 },
  ])('stays right when a query for the time takes seconds: %j', async (slow) => {
    await startClock();
    readings = [slow];
    await readAgain();
    expect(aheadByMs()).toBeGreaterThan(-1);
    expect(aheadByMs()).toBeLessThanOrEqual(5);
  });

  it.each([60_000, -60_000])('follows, and warns, when the time of the database jumps by %d ms', async (stepMs) => {
    await startClock();
    warn.mockClear();
    [databaseAheadMs, machineAheadMs] = [databaseAheadMs + stepMs, machineAheadMs + stepMs];
    await readAgain();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(aheadByMs()).toBeGreaterThan(-1);
    expect(aheadByMs()).toBeLessThanOrEqual(2);
  });

  it('includes the time that the machine was asleep, even before the next query for the time', async () => {
    await startClock();
    const hourMs = 3_600_000;
    databaseAheadMs += hourMs;
    uptimeMs += hourMs;
    machineAheadMs += hourMs;
    readings = [{ beforeMs: 8_000, afterMs: 0 }]; // the network is not there yet
    expect(aheadByMs()).toBeGreaterThan(-1);
    expect(aheadByMs()).toBeLessThanOrEqual(8_020);
    await readAgain();
    expect(aheadByMs()).toBeLessThanOrEqual(2);
  });

  it.each([3_600_000, -3_600_000])('stays right when the clock of the machine is moved by %d ms', async (stepMs) => {
    await startClock();
    machineAheadMs += stepMs;
    expect(aheadByMs()).toBe(1);
  });

  it('warns if the clock of the machine differs, and again each time the difference has doubled', async () => {
    await startClock();
    const warnings = () => warn.mock.calls.map(([{ aheadSeconds }]) => aheadSeconds as number);
    expect(warnings()).toEqual([-NOON / 2 / 1_000]);
    warn.mockClear();
    machineAheadMs = databaseAheadMs;
    await readAgain();
    for (let reading = 1; reading <= 8; reading += 1) {
      machineAheadMs -= 30_000; // it stands still
      await readAgain();
    }
    expect(warnings()).toEqual([-30, -90, -210]);
    expect(aheadByMs()).toBeLessThanOrEqual(2);
  });

  it('says when all processes will have the new time after the database clock was put forward', async () => {
    await startClock({ beforeMs: 1, afterMs: 4_000 });
    databaseAheadMs -= 3_600_000;
    await readAgain();
    expect(clock.steadySince()).toBeNull();
    databaseAheadMs += 3_600_000;
    await readAgain();
    expect(clock.steadySince()?.getTime()).toBe(clock.now().getTime() + RESYNC_INTERVAL_MS);
  });

  it('takes the time of the last jump from the database, unless that time is an hour ahead', async () => {
    storedSteadySinceMs = NOON + 5_000;
    await startClock();
    expect(clock.steadySince()?.getTime()).toBe(NOON + 5_000);
    storedSteadySinceMs = NOON + 3_600_000;
    await readAgain();
    expect(clock.steadySince()).toBeNull();
    storedSteadySinceMs = null;
  });

  it.each([3_600_000, -3_600_000])(
    'reports a jump of the database time by %d ms, but no change of nine seconds',
    async (stepMs) => {
      await startClock();
      const steps = jest.fn();
      clock.afterEachStep(steps);
      databaseAheadMs += Math.sign(stepMs) * 9_000;
      await readAgain();
      expect(steps).not.toHaveBeenCalled();
      databaseAheadMs += stepMs;
      await readAgain();
      expect(steps).toHaveBeenCalledTimes(1);
      expect(Math.abs((await clock.firstStep) - stepMs)).toBeLessThan(10);
    },
  );

  it('repeats its first query for the time until one query is quick', async () => {
    await startClock({ beforeMs: 1, afterMs: 4_000 }, { beforeMs: 900, afterMs: 900 });
    expect(aheadByMs()).toBeGreaterThan(-1);
    expect(aheadByMs()).toBeLessThanOrEqual(2);
  });

  it('queries the time again within a second if no query was quick', async () => {
    await startClock(...Array.from({ length: 5 }, () => ({ beforeMs: 1_000, afterMs: 0 })));
    expect(aheadByMs()).toBeGreaterThan(-1);
    expect(aheadByMs()).toBeLessThanOrEqual(1_020);
    await readAgain(1_000);
    expect(aheadByMs()).toBeLessThanOrEqual(2);
  });

  it('stays at most a second ahead when the database clock runs faster than the process timer', async () => {
    await startClock();
    for (let day = 0; day < 2_880; day += 1) {
      elapsedMs += RESYNC_INTERVAL_MS;
      databaseAheadMs += 2; // 67 millionths
      readings = [{ beforeMs: 500, afterMs: 500 }];
      await readAgain(day === 0 ? RESYNC_INTERVAL_MS : 1_000);
      expect(aheadByMs()).toBeGreaterThan(-1);
      expect(aheadByMs()).toBeLessThanOrEqual(1_001);
    }
  });
});
