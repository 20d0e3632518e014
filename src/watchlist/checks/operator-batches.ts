import type { LeaseBatch } from './leases.repository.js';

/**
 * Names of one operator that a process has under way: two batches of 200, which keep the 64 connections to a server busy.
 * More are not answered sooner: they only wait in memory, where each collection of garbage copies what was read for them.
 */
const MAX_NAMES = 400;

interface WaitingBatch {
  readonly names: number;
  readonly start: () => void;
}

interface OperatorQueue {
  names: number;
  waiting: WaitingBatch[];
}

/** @param nameEnded to be called as the check of each name ends: one slow name does not hold up the next batch */
export type BatchCheck = (nameEnded: () => void) => Promise<void>;

/** Batches of one operator wait for each other before anything is read for them; those of others run beside them. */
export class OperatorBatches {
  private readonly operators = new Map<string, OperatorQueue>();

  /** @param isUrgent asked of a batch that would have to wait: an urgent one does not */
  constructor(private readonly isUrgent: (batch: LeaseBatch) => Promise<boolean>) {}

  /** First come first served. */
  async run(batch: LeaseBatch, check: BatchCheck): Promise<void> {
    const { operator, names } = batch;
    let left = names.length;
    if (!this.tryStart(operator, left)) await this.waitForStart(batch);
    try {
      await check(() => {
        if (left === 0) return;
        left -= 1;
        this.release(operator, 1);
      });
    } finally {
      this.release(operator, left);
    }
  }

  private tryStart(operator: string, names: number): boolean {
    const queue = this.queueOf(operator);
    if (queue.waiting.length > 0 || !fits(names, queue)) return false;
    queue.names += names;
    return true;
  }

  private async waitForStart(batch: LeaseBatch): Promise<void> {
    const started = Promise.withResolvers<void>();
    const waiting = { names: batch.names.length, start: () => started.resolve() };
    this.queueOf(batch.operator).waiting.push(waiting);
    await Promise.race([started.promise, this.startUrgent(batch, waiting).then(() => started.promise)]);
  }

  private async startUrgent(batch: LeaseBatch, waiting: WaitingBatch): Promise<void> {
    try {
      if (!(await this.isUrgent(batch)) || !this.leaveQueue(batch.operator, waiting)) return;
    } catch (error) {
      this.leaveQueue(batch.operator, waiting);
      throw error;
    }
    this.queueOf(batch.operator).names += waiting.names;
    waiting.start();
  }

  /** @returns false when it has started already */
  private leaveQueue(operator: string, batch: WaitingBatch): boolean {
    const queue = this.queueOf(operator);
    const isWaiting = queue.waiting.includes(batch);
    queue.waiting = queue.waiting.filter((one) => one !== batch);
    return isWaiting;
  }

  private release(operator: string, names: number): void {
    const queue = this.queueOf(operator);
    queue.names -= names;
    for (let [next] = queue.waiting; next && fits(next.names, queue); [next] = queue.waiting) {
      queue.names += next.names;
      queue.waiting.shift();
      next.start();
    }
    if (queue.names === 0 && queue.waiting.length === 0) this.operators.delete(operator);
  }

  private queueOf(operator: string): OperatorQueue {
    const queue = this.operators.get(operator) ?? { names: 0, waiting: [] };
    this.operators.set(operator, queue);
    return queue;
  }
}

function fits(names: number, queue: OperatorQueue): boolean {
  return queue.names === 0 || queue.names + names <= MAX_NAMES;
}
