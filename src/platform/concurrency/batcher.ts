interface PendingRequest<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** A larger statement only delays the first of its requests. */
const MAX_BATCH_SIZE = 500;

/**
 * Combines concurrent requests into one call. One batch runs at a time while the next collects requests, so batches
 * grow with the load and a single request does not wait.
 */
export class Batcher<Request, Answer> {
  private pending: PendingRequest<Request, Answer>[] = [];
  private running: Promise<void> | null = null;

  /**
   * @param processBatch returns one result per request, in their order; when it fails, the whole batch fails
   * @param windowMs how long a batch collects requests; 0: one turn of the event loop
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

  /** Resolves when no request is pending. */
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
    this.running = null; // same turn as the check above: no request can slip in between
  }

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
        else reject(new Error('a batch returned no result for a request'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
