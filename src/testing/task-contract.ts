import assert from 'node:assert/strict';
import type { Type } from '@nestjs/common';
import type { BackgroundTask } from '../extensions/background-task.js';
import { withTimeout } from '../kernel/promises.js';
import { type ContractCase, toContractCases } from './contract-case.js';
import type { TestNamewatch } from './start-for-tests.js';

/** The thing that a run waits for does not answer, until it is released. */
export interface Hang {
  /** Resolves when a run waits. */
  readonly reached: Promise<unknown>;
  /** Lets everything succeed, what waits too. The run that waited may have ended. */
  release(): void | Promise<void>;
}

export interface BackgroundTaskContractOptions {
  readonly task: Type<BackgroundTask>;
  /** A running service with the task's extension; asked for when a case runs. */
  readonly namewatch: () => TestNamewatch;
  /** Makes two pieces of work or more, such as rows to send. @returns an id of each */
  readonly addWork: () => Promise<readonly string[]>;
  /** The ids of all pieces that were done up to now. A piece that was done twice is there twice. */
  readonly readDone: () => readonly string[] | Promise<readonly string[]>;
  /**
   * Lets one more piece succeed, and makes all others fail.
   * @returns a function that ends the failures; later tries are due then
   */
  readonly failAfterFirst: () => (() => void | Promise<void>) | Promise<() => void | Promise<void>>;
  /** Makes the thing that a run waits for hang. Only a task that waits for nothing but the database leaves it out. */
  readonly hang?: () => Hang | Promise<Hang>;
}

/** The service relies on these of every background task, as cases for any test runner. */
export function backgroundTaskContract(options: BackgroundTaskContractOptions): ContractCase[] {
  return toContractCases(() => new TaskProbe(options), {
    'does all work that there is, once': doesWork,
    'does nothing again in the next run': isRepeatable,
    'ends within a second of its signal, and the next run does the rest': obeysSignal,
    'leaves what failed to a later run, and does nothing again': completesLater,
    'does each piece of work when two runs overlap, and only once unless it is exclusive': survivesOverlap,
  });
}

/** An aborted run may take this long to end. */
const END_MS = 1_000;
/** More than any run of a test takes, and less than test runners wait. */
const RUN_LIMIT_MS = 20_000;

class TaskProbe {
  constructor(readonly options: BackgroundTaskContractOptions) {}

  /** Runs it as the service does, by its lease. */
  run(): Promise<void> {
    const { namewatch, task } = this.options;
    return withTimeout(RUN_LIMIT_MS, namewatch().runTask(task));
  }

  /** Runs it beside the service. */
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

  /** How often each piece was done, in the order of the ids. */
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
  const run = probe.runWith(stop.signal).catch(() => undefined); // a run that was told to stop may throw
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
    await probe.run().catch(() => undefined); // whether a failure of what it needs is one of the run, it decides
  } finally {
    await end();
  }
  const before = await probe.countDone(ids);
  assert.ok(before.includes(0), 'failAfterFirst made nothing fail');
  await assert.doesNotReject(probe.run(), 'it throws although nothing fails any more');
  await probe.assertDoneOnce(ids, 'a run that failed half-way, and the next one');
}

/** A lease may be lost, and a run may ignore its signal: an exclusive task may do twice what it was just doing. */
async function survivesOverlap(probe: TaskProbe): Promise<void> {
  const ids = await probe.addWork();
  if (!probe.task.isExclusive) return survivesOtherProcess(probe, ids);
  const { signal } = new AbortController();
  await Promise.allSettled([probe.runWith(signal), probe.runWith(signal)]);
  await probe.run();
  await probe.assertNothingLost(ids, 'two runs at once, and the next one');
}

/** The second run begins while the first one waits for something, if it ever does. */
async function survivesOtherProcess(probe: TaskProbe, ids: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const hang = await probe.options.hang?.();
  const first = Promise.allSettled([probe.runWith(signal)]);
  if (hang) await withTimeout(RUN_LIMIT_MS, Promise.race([hang.reached, first]));
  const second = Promise.allSettled([probe.runWith(signal)]);
  if (hang) await withTimeout<unknown>(END_MS, second, () => null); // it hangs too, if it does the same
  await hang?.release();
  const failed = [...(await first), ...(await second)].find(({ status }) => status === 'rejected') as
    PromiseRejectedResult | undefined;
  assert.equal(failed?.reason, undefined, 'every process runs it, and one of two runs at once throws');
  await probe.assertDoneOnce(ids, 'two runs at once');
}
