/** Work that an extension repeats at an interval. A run must be safe to repeat, since its process may die. */
export abstract class BackgroundTask {
  /** Unique within the extension: lower-case letters, digits and hyphens. */
  abstract readonly name: string;
  /** The seconds from the start of a run to the start of the next, 1 to 1 000 000. */
  abstract readonly intervalSeconds: number;
  /** The role of the processes that run the task. Processes with the role `all` run every task. */
  readonly role: 'api' | 'worker' | 'scheduler' = 'worker';
  /** If true, only one process runs the task at a time. If false, each process with the role runs it. */
  readonly isExclusive: boolean = true;
  /** After this time the run fails, and another run may begin even if the first goes on. */
  readonly limitSeconds: number = 300;

  /** Must end soon after the signal aborts: the process stops, the time is over, or another process has taken over. */
  abstract run(signal: AbortSignal): Promise<void>;
}
