import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

interface PendingRequest<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits a batch, since the first requests of a batch wait until the whole batch is done. */
const MAX_BATCH_SIZE = 500;
/** A batch collects requests for this many turns of the event loop. In an idle process, turns take microseconds. */
const TURNS = 3;

export interface BatcherOptions {
  /** How long a batch collects requests. With 0, a batch collects for a few turns of the event loop. */
  readonly windowMs?: number;
  /** How many batches may run at a time. With a higher number, fewer requests collect for each batch. */
  readonly concurrency?: number;
  /**
   * If a batch fails, each request runs again alone, so a bad request does not fail other requests. A request whose
   * result is undefined also runs again.
   */
  readonly isolates?: boolean;
}

/** Combines concurrent requests into batches, which grow with the load. */
export class Batcher<Request, Answer> {
  private pending: PendingRequest<Request, Answer>[] = [];
  private readonly running = new Set<Promise<void>>();
  private isCollecting = false;
  private readonly windowMs: number;
  private readonly concurrency: number;
  private readonly isolates: boolean;

  /** @param processBatch returns one result per request, in order; if it throws, the whole batch fails */
  constructor(
    private readonly processBatch: (requests: readonly Request[]) => Promise<readonly Answer[]>,
    { windowMs = 0, concurrency = 1, isolates = false }: BatcherOptions = {},
  ) {
    this.windowMs = windowMs;
    this.concurrency = concurrency;
    this.isolates = isolates;
  }

  submit(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending.push({ request, resolve, reject });
      this.collect();
    });
  }

  async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private collect(): void {
    if (this.isCollecting || this.pending.length === 0 || this.running.size >= this.concurrency) return;
    this.isCollecting = true;
    const batch = this.runNext().finally(() => {
      this.running.delete(batch);
      this.collect();
    });
    this.running.add(batch);
  }

  private async runNext(): Promise<void> {
    await this.waitForMore();
    const batch = this.pending.slice(0, MAX_BATCH_SIZE);
    this.pending = this.pending.slice(MAX_BATCH_SIZE);
    this.isCollecting = false;
    const done = this.run(batch);
    this.collect(); // starts the next batch if another may run
    if (!this.isolates || batch.length > 1) await done;
  }

  private async waitForMore(): Promise<void> {
    if (this.windowMs > 0) return sleep(this.windowMs);
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  }

  private async run(batch: readonly PendingRequest<Request, Answer>[]): Promise<void> {
    const mayRunAgain = this.isolates && batch.length > 1;
    try {
      const answers = await this.processBatch(batch.map(({ request }) => request));
      batch.forEach((one, index) => {
        if (mayRunAgain && answers[index] === undefined) void this.run([one]);
        else if (index in answers) one.resolve(answers[index] as Answer);
        else one.reject(new Error('a batch returned no result for a request'));
      });
    } catch (error) {
      for (const one of batch)
        if (mayRunAgain) void this.run([one]);
        else one.reject(error);
    }
  }
}
