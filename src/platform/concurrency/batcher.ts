interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** More in one statement only makes the first of them wait for the last. */
const LARGEST = 500;

/**
 * Gathers what many ask for at the same time and does it at once. One batch runs at a time and the next gathers
 * meanwhile: the busier it is, the larger they are, and somebody who comes alone waits for nobody.
 */
export class Batches<Request, Answer> {
  private waiting: Waiting<Request, Answer>[] = [];
  private running: Promise<void> | null = null;

  /**
   * @param work one answer for each request, in their order; when it fails, all of the batch fail
   * @param gatherMs how long a batch gathers; 0: a turn of the event loop
   */
  constructor(
    private readonly work: (requests: readonly Request[]) => Promise<readonly Answer[]>,
    private readonly gatherMs = 0,
  ) {}

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.running ??= this.runAll();
    });
  }

  /** Resolves when nothing is left to be done. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async runAll(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gather();
      const batch = this.waiting.slice(0, LARGEST);
      this.waiting = this.waiting.slice(LARGEST);
      await this.run(batch);
    }
    this.running = null; // in the same breath as the last look at who waits: nobody can come in between
  }

  /** Requests of the same turn of the event loop come along at least. */
  private gather(): Promise<void> {
    return new Promise((resolve) => {
      if (this.gatherMs > 0) setTimeout(resolve, this.gatherMs);
      else setImmediate(resolve);
    });
  }

  private async run(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.work(batch.map(({ request }) => request));
      batch.forEach(({ resolve, reject }, index) => {
        if (index in answers) resolve(answers[index] as Answer);
        else reject(new Error('a batch left a request without an answer'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
