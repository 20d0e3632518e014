/**
 * Work of an extension that is repeated at an interval, such as sending what its subscriber has written into a table. A
 * process may die at any moment, and the run is repeated then: its work has to be safe to repeat.
 */
export abstract class BackgroundTask {
  /** Unique in the extension: lower-case letters, digits and hyphens. */
  abstract readonly name: string;
  /** The seconds from the beginning of a run to that of the next, 1 to 1 000 000. */
  abstract readonly intervalSeconds: number;
  /** Which processes run it; those with the role `all` run every task. */
  readonly role: 'api' | 'worker' | 'scheduler' = 'worker';
  /** true: one process of the installation at a time. false: every process with the role, each by itself. */
  readonly isExclusive: boolean = true;
  /** After so many seconds a run has failed: its signal is aborted, and another one may begin beside it if it goes on. */
  readonly limitSeconds: number = 300;

  /**
   * Does what there is to do, and ends soon once the signal is aborted: the next run does the rest.
   * @param signal aborted when the process stops, the time is over, or another process has taken over
   */
  abstract run(signal: AbortSignal): Promise<void>;
}
