import { OutboundError } from './outbound-error.js';

/** The members of AbortSignal that a request uses. An AbortSignal and a {@link Deadline} both have them. */
export interface AbortLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A time limit that starts with `start()` or with the first listener, so that waiting before the work does not count.
 */
export class Deadline implements AbortLike {
  private end: number | null = null;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private hasFired = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly onStart: () => void = () => undefined,
  ) {}

  start(): this {
    if (this.end === null) {
      this.onStart();
      this.end = performance.now() + this.timeoutMs;
    }
    return this;
  }

  get remainingMs(): number {
    return this.end === null ? this.timeoutMs : Math.max(0, this.end - performance.now());
  }

  get aborted(): boolean {
    return this.hasFired || (this.end !== null && performance.now() >= this.end);
  }

  get reason(): OutboundError {
    return new OutboundError('timeout', 'the deadline has passed');
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.listeners.add(listener);
    this.timer ??= setTimeout(() => this.fire(), Math.ceil(this.start().remainingMs));
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Does not check the clock, because a timer may fire slightly early, and would not fire again. */
  private fire(): void {
    this.hasFired = true;
    for (const listener of [...this.listeners]) listener();
  }
}
