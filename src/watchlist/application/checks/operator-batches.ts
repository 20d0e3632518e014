import type { LeaseBatch } from '../ports/lease-repository.js';

/**
 * Names of one operator that a process has under way: twice as many as a server gets connections, and a batch whose
 * results are being written. More are not answered sooner: they only wait in memory, where each collection of garbage
 * copies what was read for them.
 */
const MAX_NAMES = 400;

interface OperatorQueue {
  names: number;
  readonly waiting: { readonly names: number; readonly start: () => void }[];
}

/** Batches of one operator wait for each other before anything is read for them; those of others run beside them. */
export class OperatorBatches {
  private readonly operators = new Map<string, OperatorQueue>();

  /** First come first served; a batch that is larger than the limit runs alone. */
  async run({ operator, names }: LeaseBatch, check: () => Promise<void>): Promise<void> {
    const queue = this.operators.get(operator) ?? { names: 0, waiting: [] };
    this.operators.set(operator, queue);
    const size = names.length;
    if (queue.waiting.length === 0 && fits(size, queue)) queue.names += size;
    else await new Promise<void>((start) => queue.waiting.push({ names: size, start }));
    try {
      await check();
    } finally {
      queue.names -= size;
      this.startNext(operator, queue);
    }
  }

  private startNext(operator: string, queue: OperatorQueue): void {
    for (let [next] = queue.waiting; next && fits(next.names, queue); [next] = queue.waiting) {
      queue.names += next.names;
      queue.waiting.shift();
      next.start();
    }
    if (queue.names === 0) this.operators.delete(operator);
  }
}

function fits(names: number, queue: OperatorQueue): boolean {
  return queue.names === 0 || queue.names + names <= MAX_NAMES;
}
