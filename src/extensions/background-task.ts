/**
 * Work that an extension repeats at an interval, such as sending rows that an event subscriber stored. A run must be
 * safe to repeat, since its process may die at any moment.
 */
export abstract class BackgroundTask {
  /** Unique within the extension: lower-case letters, digits and hyphens. */
  abstract readonly name: string;
  /** The seconds from the start of a run to the start of the next, 1 to 1 000 000. */
  abstract readonly intervalSeconds: number;
  /** The role of the processes that run the task. Processes with the role `all` run every task. */
  readonly role: 'api' | 'worker' | 'scheduler' = 'worker';
  /** If true, only one process runs the task at a time. If false, each process with the role runs it. */
  readonly isExclusive: boolean = true;
  /** A run fails after this many seconds. Its signal aborts, and another run may begin even if this run goes on. */
  readonly limitSeconds: number = 300;

  /**
   * Does the work that is due. Must end soon after the signal aborts.
   * @param signal aborts when the process stops, the time is over, or another process has taken over
   */
  abstract run(signal: AbortSignal): Promise<void>;
}
