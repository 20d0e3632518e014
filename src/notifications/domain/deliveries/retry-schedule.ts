import { HOUR, MINUTE, SECOND } from '../../../kernel/clock.js';
import type { AttemptOutcome } from './attempt.js';

/** Standard Webhooks 1.0: ten attempts over 75 h 35 min, enough to survive a weekend's outage. */
const WEBHOOK_DELAYS_MS = [
  0,
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
const MAIL_DELAYS_MS = [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR];
/** Spreads retries, so that a receiver that recovers does not get all of them at once. */
const JITTER = 0.2;
/** The shortest delay after a timeout or a status that reports overload. */
const OVERLOAD_DELAY_MS = MINUTE;
const OVERLOAD_STATUSES = new Set([429, 502, 504]);

/** The delay before each attempt; the first is counted from the creation of the delivery. */
export class RetrySchedule {
  private constructor(
    private readonly delaysMs: readonly number[],
    /** Divides every duration (TIME_SCALE). */
    private readonly timeScale: number,
    private readonly random: () => number,
  ) {}

  static forWebhooks(timeScale: number, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(WEBHOOK_DELAYS_MS, timeScale, random);
  }

  static forMail(timeScale: number, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(MAIL_DELAYS_MS, timeScale, random);
  }

  /**
   * Milliseconds from the end of the `failures`-th failed attempt to the next one, or null when that was the last.
   * Retry-After is honoured between one and two steps, so that a receiver can neither speed up nor block its retries.
   */
  nextDelayMs(failures: number, outcome: AttemptOutcome): number | null {
    const delayMs = this.delaysMs[failures];
    if (delayMs === undefined) return null;
    const jitteredMs = delayMs * (1 - JITTER + 2 * JITTER * this.random());
    const stepMs = (isOverloaded(outcome) ? Math.max(jitteredMs, OVERLOAD_DELAY_MS) : jitteredMs) / this.timeScale;
    return Math.round(Math.min(Math.max(outcome.retryAfterMs ?? 0, stepMs), 2 * stepMs));
  }
}

function isOverloaded({ outcome, responseStatus }: AttemptOutcome): boolean {
  return outcome === 'timeout' || (outcome === 'http_error' && OVERLOAD_STATUSES.has(responseStatus ?? 0));
}
