import assert from 'node:assert/strict';
import type { Type } from '@nestjs/common';
import type { BackgroundTask } from '../extensions/background-task.js';
import { withTimeout } from '../kernel/promises.js';
import { type ContractCase, toContractCases } from './contract-case.js';
import type { TestNamewatch } from './start-for-tests.js';

/** A dependency of the task that does not respond until `release`. */
export interface Hang {
  /** Resolves when a run waits for the dependency. */
  readonly reached: Promise<unknown>;
  /** Ends the hang: the dependency responds to all waiting runs, some of which may have been aborted. */
  release(): void | Promise<void>;
}

export interface BackgroundTaskContractOptions {
  readonly task: Type<BackgroundTask>;
  /** Returns a running service with the task's extension. Called when a case runs. */
  readonly namewatch: () => TestNamewatch;
  /** Makes at least two pieces of work, such as rows to send. @returns the id of each */
  readonly addWork: () => Promise<readonly string[]>;
  /** Returns the ids of all pieces done so far. A piece that was done twice is listed twice. */
  readonly readDone: () => readonly string[] | Promise<readonly string[]>;
  /**
   * Lets the next piece of work succeed, and makes all later pieces fail.
   * @returns a function that ends failures and makes failed pieces due again
   */
  readonly failAfterFirst: () => (() => void | Promise<void>) | Promise<() => void | Promise<void>>;
  /** Makes a dependency of the task hang. Needed for each task that waits for anything besides the database. */
  readonly hang?: () => Hang | Promise<Hang>;
}

/** Returns test cases with the rules for every background task. */
export function backgroundTaskContract(options: BackgroundTaskContractOptions): ContractCase[] {
  return toContractCases(() => new TaskProbe(options), {
    'does all work that there is, once': doesWork,
    'does nothing again in the next run': isRepeatable,
    'ends within a second of its signal, and the next run does the rest': obeysSignal,
    'leaves what failed to a later run, and does nothing again': completesLater,
    'does each piece of work when two runs overlap, and only once unless it is exclusive': survivesOverlap,
  });
}

const END_MS = 1_000;
/** Longer than any run in a test, and shorter than the limits of test runners. */
const RUN_LIMIT_MS = 20_000;

class TaskProbe {
  constructor(readonly options: BackgroundTaskContractOptions) {}

  /** Runs the task as the service does, with the time-limited lock (lease) of the task. */
  run(): Promise<void> {
    const { namewatch, task } = this.options;
    return withTimeout(RUN_LIMIT_MS, namewatch().runTask(task));
  }

  /** Runs the task without the lock (lease) that the service takes. */
  async runWith(signal: AbortSignal): Promise<void> {
    await this.task.run(signal);
  }

  get task(): BackgroundTask {
    return this.options.namewatch().get(this.options.task);
  }

  async addWork(): Promise<readonly string[]> {
    const ids = await this.options.addWork();
    assert.ok(new Set(ids).size > 1, 'addWork has to make two pieces of work, with an id of each');
    return ids;
  }

  /** Returns how often each piece of work was done, in the order of the ids. */
  async countDone(ids: readonly string[]): Promise<number[]> {
    const done = await this.options.readDone();
    return ids.map((id) => done.filter((other) => other === id).length);
  }

  async assertDoneOnce(ids: readonly string[], message: string): Promise<void> {
    const counts = await this.countDone(ids);
    assert.deepEqual(
      counts,
      ids.map(() => 1),
      `${message}: its pieces of work were done ${counts.join(', ')} times`,
    );
  }

  async assertNothingLost(ids: readonly string[], message: string): Promise<void> {
    const counts = await this.countDone(ids);
    assert.ok(!counts.includes(0), `${message}: its pieces of work were done ${counts.join(', ')} times`);
  }
}

async function doesWork(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  await probe.run();
  await probe.assertDoneOnce(ids, 'one run');
}

async function isRepeatable(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  await probe.run();
  await assert.doesNotReject(probe.run(), 'it throws when there is nothing to do');
  await probe.assertDoneOnce(ids, 'two runs');
}

async function obeysSignal(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  const hang = await probe.options.hang?.();
  const stop = new AbortController();
  const run = probe.runWith(stop.signal).catch(() => undefined); // a run whose signal was aborted may throw
  try {
    if (hang) {
      const ended = run.then(() => assert.fail('the run ended, although what it waits for hangs'));
      await withTimeout(RUN_LIMIT_MS, Promise.race([hang.reached, ended]));
    }
    stop.abort(new Error('the process stops'));
    const ended = run.then(() => true);
    const isInTime = await withTimeout(END_MS, ended, () => false);
    assert.ok(isInTime, `it still runs ${END_MS} ms after its signal was aborted`);
  } finally {
    await hang?.release();
    await withTimeout(RUN_LIMIT_MS, run);
  }
  await probe.run();
  await probe.assertNothingLost(ids, 'a run that was told to stop, and the next one');
}

async function completesLater(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  const end = await probe.options.failAfterFirst();
  try {
    await probe.run().catch(() => undefined); // the run may throw when its dependency fails
  } finally {
    await end();
  }
  const before = await probe.countDone(ids);
  assert.ok(before.includes(0), 'failAfterFirst made nothing fail');
  await assert.doesNotReject(probe.run(), 'it throws although nothing fails any more');
  await probe.assertDoneOnce(ids, 'a run that failed half-way, and the next one');
}

/**
 * An exclusive task runs in one process at a time. If the task loses its lock, two runs may overlap and repeat work.
 */
async function survivesOverlap(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  if (!probe.task.isExclusive) return survivesOtherProcess(probe, ids);
  const { signal } = new AbortController();
  await Promise.allSettled([probe.runWith(signal), probe.runWith(signal)]);
  await probe.run();
  await probe.assertNothingLost(ids, 'two runs at once, and the next one');
}

async function survivesOtherProcess(probe: TaskProbe, ids: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const hang = await probe.options.hang?.();
  const first = Promise.allSettled([probe.runWith(signal)]);
  if (hang) await withTimeout(RUN_LIMIT_MS, Promise.race([hang.reached, first]));
  const second = Promise.allSettled([probe.runWith(signal)]);
  if (hang) await withTimeout<unknown>(END_MS, second, () => null); // the second run may wait for the same dependency
  await hang?.release();
  const failed = [...(await first), ...(await second)].find(({ status }) => status === 'rejected') as
    PromiseRejectedResult | undefined;
  assert.equal(failed?.reason, undefined, 'every process runs it, and one of two runs at once throws');
  await probe.assertDoneOnce(ids, 'two runs at once');
}
