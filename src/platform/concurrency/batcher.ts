interface PendingRequest<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** More in one statement only makes the first of them wait for the last. */
const MAX_BATCH_SIZE = 500;

/**
 * Gathers what many ask for at the same time and does it at once. One batch runs at a time and the next gathers
 * meanwhile: the busier it is, the larger they are, and somebody who comes alone waits for nobody.
 */
export class Batcher<Request, Answer> {
  private pending: PendingRequest<Request, Answer>[] = [];
  private running: Promise<void> | null = null;

  /**
   * @param processBatch one answer for each request, in their order; when it fails, all of the batch fail
   * @param windowMs how long a batch gathers; 0: a turn of the event loop
   */
  constructor(
    private readonly processBatch: (requests: readonly Request[]) => Promise<readonly Answer[]>,
    private readonly windowMs = 0,
  ) {}

  submit(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending.push({ request, resolve, reject });
      this.running ??= this.runUntilEmpty();
    });
  }

  /** Resolves when nothing is left to be done. */
  async whenIdle(): Promise<void> {
    await this.running;
  }

  private async runUntilEmpty(): Promise<void> {
    while (this.pending.length > 0) {
      await this.waitForMore();
      const batch = this.pending.slice(0, MAX_BATCH_SIZE);
      this.pending = this.pending.slice(MAX_BATCH_SIZE);
      await this.run(batch);
    }
    this.running = null; // in the same breath as the last look at who waits: nobody can come in between
  }

  /** Requests of the same turn of the event loop come along at least. */
  private waitForMore(): Promise<void> {
    return new Promise((resolve) => {
      if (this.windowMs > 0) setTimeout(resolve, this.windowMs);
      else setImmediate(resolve);
    });
  }

  private async run(batch: readonly PendingRequest<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.processBatch(batch.map(({ request }) => request));
      batch.forEach(({ resolve, reject }, index) => {
        if (index in answers) resolve(answers[index] as Answer);
        else reject(new Error('a batch left a request without an answer'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
