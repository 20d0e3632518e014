import { OutboundError } from './outbound-error.js';

/** Aborts an exchange: a {@link Deadline}, or any AbortSignal. */
export interface AbortLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A point on the monotonic timer. Unlike AbortSignal.timeout(), which fires (and creates an exception) long after the
 * work is done, its timer runs only while there are listeners.
 */
export class Deadline implements AbortLike {
  private readonly end: number;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private hasFired = false;

  /** @param timeoutMs counts from now */
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

  /** Marks the deadline as over without a look at the clock: a timer may fire slightly early. */
  private fire(): void {
    this.hasFired = true;
    for (const listener of [...this.listeners]) listener();
  }
}
