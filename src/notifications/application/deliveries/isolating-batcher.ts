/**
 * Does many at once. Those that are missing in the answer were in somebody's way; they, and all of a batch that failed,
 * are done again, each alone.
 */
export type BatchWork<Request, Answer> = (
  requests: readonly Request[],
  mode: 'batch' | 'single',
) => Promise<ReadonlyMap<Request, Answer>>;

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** More in one transaction only makes the first of them wait for the last. */
const MAX_BATCH_SIZE = 500;

/**
 * Gathers what comes while the last batch is under way, so that batches grow with the load and nobody waits for
 * company. What fails fails alone: one bad row does not take the others of its batch along.
 */
export class IsolatingBatcher<Request, Answer> {
  private readonly waiting: Waiting<Request, Answer>[] = [];
  private running = false;

  constructor(private readonly work: BatchWork<Request, Answer>) {}

  /** undefined when there is no answer to it, not even alone. */
  submit(request: Request): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (!this.running) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      await new Promise(setImmediate); // for all that this turn of the event loop brings
      await this.runBatch(this.waiting.splice(0, MAX_BATCH_SIZE));
    }
    this.running = false;
  }

  private async runBatch(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    const answers = await this.tryBatch(batch);
    for (const one of batch) {
      if (answers.has(one.request)) one.resolve(answers.get(one.request));
      else void this.runSingle(one); // which may have to wait, and the next batch need not
    }
  }

  private async tryBatch(batch: readonly Waiting<Request, Answer>[]): Promise<ReadonlyMap<Request, Answer>> {
    if (batch.length === 1) return new Map();
    try {
      const requests = batch.map(({ request }) => request);
      return await this.work(requests, 'batch');
    } catch {
      return new Map(); // each hears by itself what is wrong with it
    }
  }

  private async runSingle({ request, resolve, reject }: Waiting<Request, Answer>): Promise<void> {
    try {
      resolve((await this.work([request], 'single')).get(request));
    } catch (error) {
      reject(error);
    }
  }
}
