import { after } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from './attempt.js';

/** Ten attempts over 75 h 35 min (Standard Webhooks 1.0), so that a receiver may be down for a whole weekend. */
const webhookDelaysMs = ({ second, minute, hour }: TimeUnits) => [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
const mailDelaysMs = ({ minute, hour }: TimeUnits) => [
  0,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  24 * hour,
];
/** The share by which delays vary at random, so that retries do not all reach a recovering receiver at once. */
const JITTER = 0.2;
const OVERLOAD_STATUSES = new Set([429, 502, 504]);

/** Knows the delay before each attempt. The first delay counts from the creation of the delivery. */
export class RetrySchedule {
  private constructor(
    private readonly delaysMs: readonly number[],
    /** The shortest delay after a timeout or a status that reports overload. */
    private readonly overloadDelayMs: number,
    private readonly random: () => number,
  ) {}

  static forWebhooks(units: TimeUnits, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(webhookDelaysMs(units), units.minute, random);
  }

  static forMail(units: TimeUnits, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(mailDelaysMs(units), units.minute, random);
  }

  /**
   * Returns null after the last attempt. Retry-After can at most double a delay, so a receiver cannot block its
   * retries.
   */
  nextDelayMs(failures: number, outcome: AttemptOutcome): number | null {
    const delayMs = this.delaysMs[failures];
    if (delayMs === undefined) return null;
    const jitteredMs = delayMs * (1 - JITTER + 2 * JITTER * this.random());
    const stepMs = isOverloaded(outcome) ? Math.max(jitteredMs, this.overloadDelayMs) : jitteredMs;
    return Math.round(Math.min(Math.max(outcome.retryAfterMs ?? 0, stepMs), 2 * stepMs));
  }
}

/**
 * Returns null after a success, a final failure or the last attempt.
 * @param failures includes this outcome
 */
export function nextAttemptAt(
  outcome: AttemptOutcome,
  schedule: RetrySchedule,
  failures: number,
  now: Date,
): Date | null {
  const delayMs = outcome.outcome === 'ok' || outcome.final ? null : schedule.nextDelayMs(failures, outcome);
  return delayMs === null ? null : after(now, delayMs);
}

function isOverloaded({ outcome, responseStatus }: AttemptOutcome): boolean {
  return outcome === 'timeout' || (outcome === 'http_error' && OVERLOAD_STATUSES.has(responseStatus ?? 0));
}
