import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { FatalStallSignal } from '../../../../src/platform/fatal-stall-signal.js';
import { WorkerWatchdog, WorkerProgress, SAMPLES_PER_LEASE } from '../../../../src/watchlist/checks/worker-watchdog.js';
import type { LeaseBatch } from '../../../../src/watchlist/checks/leases.repository.js';
import type { ScheduleLagRepository } from '../../../../src/watchlist/checks/schedule-lag.repository.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

Logger.overrideLogger(false); // an unavailable database is logged at every sample

const batch: LeaseBatch = { operator: 'sandbox', token: 'one', names: ['expiring.test'] };

/** Claimed names as PostgreSQL reports them. */
class Claims implements Pick<ScheduleLagRepository, 'hasUnstartedClaims'> {
  left: 'lying' | 'done' | 'who knows' = 'done';
  readonly asked: Date[] = [];

  hasUnstartedClaims(dueBy: Date): Promise<boolean> {
    this.asked.push(dueBy);
    if (this.left === 'who knows') return Promise.reject(new Error('connect ECONNREFUSED'));
    return Promise.resolve(this.left === 'lying');
  }
}

let claims: Claims;
let progress: WorkerProgress;
let stall: FatalStallSignal;
let worker: WorkerWatchdog;
const judge = (leaseSeconds = 60) =>
  new WorkerWatchdog(
    progress,
    claims as Partial<ScheduleLagRepository> as ScheduleLagRepository,
    new TestClock('2026-11-21T12:00:00Z'),
    stall,
    readConfig({ LEASE_SECONDS: String(leaseSeconds) }),
  );
beforeEach(() => {
  claims = new Claims();
  progress = new WorkerProgress();
  stall = new FatalStallSignal();
  worker = judge();
});

/** Glances until it is given up; Infinity when it still is not after an hour. */
async function glancesUntilGivenUp(before: (glance: number) => unknown): Promise<number> {
  for (let glance = 1; glance <= 60 * SAMPLES_PER_LEASE; glance += 1) {
    before(glance);
    if (await worker.detectStall()) return glance;
  }
  return Infinity;
}

/** A claim lies for half of its lease before it counts, runs out, and is claimed again. */
const neverBegun = (glance: number) =>
  void (claims.left = (glance - 1) % SAMPLES_PER_LEASE < SAMPLES_PER_LEASE / 2 ? 'done' : 'lying');

describe('a stalled worker', () => {
  it('starts no claimed name for two leases in a row', async () => {
    expect(await glancesUntilGivenUp(neverBegun)).toBe(2 * SAMPLES_PER_LEASE);
  });

  it('has a lookup that does not end within a lease', async () => {
    progress.snapshotAndReset();
    progress.batchStarted(batch);
    expect(await glancesUntilGivenUp(() => undefined)).toBe(SAMPLES_PER_LEASE + 1); // of the first, it is not known how long
  });

  it('fails every batch, however soon', async () => {
    const glances = await glancesUntilGivenUp(() => {
      progress.batchStarted(batch);
      progress.batchFailed(batch);
    });
    expect(glances).toBe(SAMPLES_PER_LEASE);
  });

  it('is stopped for a restart', async () => {
    for (let glance = 1; glance <= SAMPLES_PER_LEASE; glance += 1) {
      progress.batchFailed(batch);
      await worker.run();
    }
    expect(await stall.reason).toContain('completes no checks');
  });

  it('made no progress for a minute at least, and for a lease', () => {
    expect(judge(60).sampleIntervalMs * SAMPLES_PER_LEASE).toBe(60_000);
    expect(judge(2).sampleIntervalMs * SAMPLES_PER_LEASE).toBe(60_000);
    expect(judge(600).sampleIntervalMs * SAMPLES_PER_LEASE).toBe(600_000);
  });
});

describe('a healthy worker', () => {
  const lostOnce = (glance: number) => (glance - 1) % (10 * SAMPLES_PER_LEASE) < 4;

  it.each<[string, (glance: number) => unknown]>([
    ['has nothing to do', () => undefined],
    [
      'begins and ends batches that come to nothing, because their leases had run out',
      () => {
        progress.batchStarted(batch);
        progress.batchFinished(batch);
      },
    ],
    [
      'failed at a batch once and gets others done',
      (glance) => (glance === 1 ? progress.batchFailed(batch) : progress.resultsWritten()),
    ],
    [
      'is no worse than the queue, which loses all jobs every hour, while others do the work',
      (glance) => (claims.left = lostOnce(glance) ? 'lying' : 'done'),
    ],
    [
      'sees claims of a scheduler that died before it rang run out',
      (glance) => (claims.left = glance <= SAMPLES_PER_LEASE / 2 ? 'lying' : 'done'),
    ],
  ])('%s', async (_, before) => {
    expect(await glancesUntilGivenUp(before)).toBe(Infinity);
    expect(claims.asked.every((dueBy) => dueBy.toISOString() === '2026-11-21T11:59:00.000Z')).toBe(true);
  });

  it('gets something done now and then, whatever lies there beside', async () => {
    claims.left = 'lying';
    progress.batchStarted({ ...batch, token: 'another' });
    const nowAndThen = (glance: number) => glance % (SAMPLES_PER_LEASE - 1) === 0 && progress.resultsWritten();
    expect(await glancesUntilGivenUp(nowAndThen)).toBe(Infinity);
  });

  it('cannot know, while PostgreSQL is away, and is not blamed for what it left undone meanwhile', async () => {
    progress.batchStarted(batch);
    const away = (glance: number) => glance > SAMPLES_PER_LEASE / 2 && (claims.left = 'who knows');
    expect(await glancesUntilGivenUp(away)).toBe(Infinity);
  });
});
