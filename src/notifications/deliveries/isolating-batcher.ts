/**
 * Processes a batch. Requests that are missing in the answer, and all of a batch that failed, are run again one by one.
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

/** Larger batches only delay their first requests. */
const MAX_BATCH_SIZE = 500;

/**
 * Collects requests while a batch is in progress, so that batches grow with the load without added delay. A failure is
 * isolated: one bad row does not fail the others of its batch.
 */
export class IsolatingBatcher<Request, Answer> {
  private readonly waiting: Waiting<Request, Answer>[] = [];
  private running = false;

  constructor(private readonly work: BatchWork<Request, Answer>) {}

  /** undefined when there is no answer, not even for the single request. */
  submit(request: Request): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (!this.running) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      await new Promise(setImmediate); // to collect the requests of this turn of the event loop
      await this.runBatch(this.waiting.splice(0, MAX_BATCH_SIZE));
    }
    this.running = false;
  }

  private async runBatch(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    const answers = await this.tryBatch(batch);
    for (const one of batch) {
      if (answers.has(one.request)) one.resolve(answers.get(one.request));
      else void this.runSingle(one); // not awaited: it may wait for a lock, the next batch should not
    }
  }

  private async tryBatch(batch: readonly Waiting<Request, Answer>[]): Promise<ReadonlyMap<Request, Answer>> {
    if (batch.length === 1) return new Map();
    try {
      const requests = batch.map(({ request }) => request);
      return await this.work(requests, 'batch');
    } catch {
      return new Map(); // each request fails by itself, in `runSingle`
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
