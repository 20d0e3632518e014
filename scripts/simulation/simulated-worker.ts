import type { Installation } from './installation.js';
import type { Batch } from './simulated-operator.js';

interface ActiveBatch {
  readonly batch: Batch;
  /** Looked up, in fractions of names. */
  done: number;
  recorded: number;
  /** When the first name that is not recorded was looked up. */
  waitsSince: number | null;
}

/** As in the service: 25 jobs at a time, all names of a batch at a time, results written after 50 ms. */
const CONCURRENCY = 25;
const RESULT_WINDOW_MS = 50;

/** Shares its speed evenly among its batches. */
export class SimulatedWorker {
  private active: ActiveBatch[] = [];

  constructor(private readonly installation: Installation) {}

  get load(): number {
    return this.active.length;
  }

  /** @returns false: it has as many as it takes */
  take(batch: Batch): boolean {
    if (this.active.length >= CONCURRENCY) return false;
    this.active.push({ batch, done: 0, recorded: 0, waitsSince: null });
    return true;
  }

  /** @param budget names that PostgreSQL still carries in this step. @returns names that were looked up */
  run(now: number, stepMs: number, budget: number, record: (batch: Batch, names: number) => void): number {
    const { workerNamesPerSecond, registryMs } = this.installation;
    const perLookup = stepMs / Math.max(registryMs, 0.001);
    let left = Math.min((workerNamesPerSecond * stepMs) / 1_000, Math.max(0, budget));
    const available = left;
    this.active.forEach((one, i) => {
      const { operator, size } = one.batch;
      const share = left / (this.active.length - i);
      const names = Math.min(
        share,
        size - one.done,
        size * perLookup,
        operator.tokens,
        operator.requestsWithin(stepMs),
      );
      operator.tokens -= names;
      one.done += names;
      left -= names;
      this.recordDone(one, now, record);
    });
    this.active = this.active.filter(({ batch, recorded }) => recorded < batch.size);
    return available - left;
  }

  private recordDone(one: ActiveBatch, now: number, record: (batch: Batch, names: number) => void): void {
    const done = Math.floor(one.done + 1e-6);
    const waiting = done - one.recorded;
    if (waiting === 0) return;
    one.waitsSince ??= now;
    if (done < one.batch.size && now - one.waitsSince < RESULT_WINDOW_MS) return;
    record(one.batch, waiting);
    one.recorded = done;
    one.waitsSince = null;
  }
}
