import { Deadline } from '../../platform/outbound/deadline.js';

/** The time limit of all queries of a lookup together; it starts with the first, not with the wait for admission. */
export class HopDeadline {
  private started: Deadline | null = null;

  constructor(private readonly timeoutMs: number) {}

  /** Starts the time, unless it runs already. */
  start(): Deadline {
    return (this.started ??= new Deadline(Math.max(this.timeoutMs, 1)));
  }

  get remainingMs(): number {
    return this.started?.remainingMs ?? this.timeoutMs;
  }
}
