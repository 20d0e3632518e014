import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { JudgeWorker } from '../../../src/watchlist/application/judge-worker.js';
import { Progress } from '../../../src/watchlist/application/progress.js';
import type { Batch } from '../../../src/watchlist/domain/leases.js';
import { type Overdue, ScheduleLag } from '../../../src/watchlist/domain/schedule-lag.js';
import { GLANCES } from '../../../src/watchlist/domain/standstill.js';
import { TestClock } from '../../support/fakes/test-clock.js';

Logger.overrideLogger(false); // a database that is away is logged at every glance

const batch: Batch = { operator: 'sandbox', token: 'one', names: ['expiring.test'] };

/** What PostgreSQL says of claims that were rung for. */
class Claims extends ScheduleLag {
  left: 'lying' | 'done' | 'who knows' = 'done';
  readonly asked: Date[] = [];

  overdue(): Promise<readonly Overdue[]> {
    return Promise.resolve([]);
  }

  underWay(): Promise<number> {
    return Promise.resolve(0);
  }

  isUnheard(dueBy: Date): Promise<boolean> {
    this.asked.push(dueBy);
    if (this.left === 'who knows') return Promise.reject(new Error('connect ECONNREFUSED'));
    return Promise.resolve(this.left === 'lying');
  }
}

let claims: Claims;
let progress: Progress;
let worker: JudgeWorker;
const judge = (leaseSeconds = 60) =>
  new JudgeWorker(
    progress,
    claims,
    new TestClock('2026-11-21T12:00:00Z'),
    readConfig({ LEASE_SECONDS: String(leaseSeconds) }),
  );
beforeEach(() => {
  claims = new Claims();
  progress = new Progress();
  worker = judge();
});

/** Glances until it is given up; Infinity when it still is not after an hour. */
async function glancesUntilGivenUp(before: (glance: number) => void): Promise<number> {
  for (let glance = 1; glance <= 60 * GLANCES; glance += 1) {
    before(glance);
    if (await worker.isAtAStandstill()) return glance;
  }
  return Infinity;
}

/** A claim lies for half of its lease before it counts, runs out, and is claimed again. */
const neverBegun = (glance: number) => void (claims.left = (glance - 1) % GLANCES < GLANCES / 2 ? 'done' : 'lying');

describe('a worker that is given up', () => {
  it('is one that begins nothing of what was rung for, in two leases in a row', async () => {
    expect(await glancesUntilGivenUp(neverBegun)).toBe(2 * GLANCES);
  });

  it('is one whose look does not end, after a lease', async () => {
    progress.takeNote();
    progress.begins(batch);
    expect(await glancesUntilGivenUp(() => undefined)).toBe(GLANCES + 1); // of the first, it is not known how long
  });

  it('is one whose batches all fail, however soon', async () => {
    const glances = await glancesUntilGivenUp(() => {
      progress.begins(batch);
      progress.fails(batch);
    });
    expect(glances).toBe(GLANCES);
  });

  it('was seen to do nothing for a minute at least, and for a lease', () => {
    expect(judge(60).judgedEvery * GLANCES).toBe(60_000);
    expect(judge(2).judgedEvery * GLANCES).toBe(60_000);
    expect(judge(600).judgedEvery * GLANCES).toBe(600_000);
  });
});

describe('a worker that is left alone', () => {
  it('has nothing to do', async () => {
    expect(await glancesUntilGivenUp(() => undefined)).toBe(Infinity);
    expect(claims.asked.every((dueBy) => dueBy.toISOString() === '2026-11-21T11:59:00.000Z')).toBe(true);
  });

  it('gets something done now and then, whatever lies there beside', async () => {
    claims.left = 'lying';
    progress.begins({ ...batch, token: 'another' });
    expect(await glancesUntilGivenUp((glance) => glance % (GLANCES - 1) === 0 && progress.made())).toBe(Infinity);
  });

  it('begins and ends batches that come to nothing, because their leases had run out', async () => {
    const glances = await glancesUntilGivenUp(() => {
      progress.begins(batch);
      progress.ends(batch);
    });
    expect(glances).toBe(Infinity);
  });

  it('failed at a batch once and gets others done', async () => {
    expect(await glancesUntilGivenUp((glance) => (glance === 1 ? progress.fails(batch) : progress.made()))).toBe(
      Infinity,
    );
  });

  it('cannot know, while PostgreSQL is away, and is not blamed for what it left undone meanwhile', async () => {
    progress.begins(batch);
    expect(await glancesUntilGivenUp((glance) => glance > GLANCES / 2 && (claims.left = 'who knows'))).toBe(Infinity);
  });

  it('is no worse than the queue, which loses all jobs every hour, while others do the work', async () => {
    const lostOnce = (glance: number) => (glance - 1) % (10 * GLANCES) < 4;
    expect(await glancesUntilGivenUp((glance) => (claims.left = lostOnce(glance) ? 'lying' : 'done'))).toBe(Infinity);
  });

  it('sees claims of a scheduler that died before it rang run out', async () => {
    expect(await glancesUntilGivenUp((glance) => (claims.left = glance <= GLANCES / 2 ? 'lying' : 'done'))).toBe(
      Infinity,
    );
  });
});
