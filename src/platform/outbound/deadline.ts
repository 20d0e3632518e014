import { OutboundError } from './outbound-error.js';

/** The members of AbortSignal that a request uses. An AbortSignal and a {@link Deadline} both have them. */
export interface AbortLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A time limit that is not affected by changes of the clock. Its timer runs only while there are listeners.
 * AbortSignal.timeout() would also fire, and create an exception, long after the work is done.
 */
export class Deadline implements AbortLike {
  private readonly end: number;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private hasFired = false;

  constructor(timeoutMs: number) {
    this.end = performance.now() + timeoutMs;
  }

  get remainingMs(): number {
    return Math.max(0, this.end - performance.now());
  }

  get aborted(): boolean {
    return this.hasFired || performance.now() >= this.end;
  }

  get reason(): OutboundError {
    return new OutboundError('timeout', 'the deadline has passed');
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.listeners.add(listener);
    this.timer ??= setTimeout(() => this.fire(), Math.ceil(this.remainingMs));
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Ends the time limit without reading the clock again, because a timer may fire slightly early. */
  private fire(): void {
    this.hasFired = true;
    for (const listener of [...this.listeners]) listener();
  }
}
