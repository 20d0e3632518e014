import { HOUR, MINUTE, SECOND } from '../../../kernel/clock.js';
import type { AttemptOutcome } from './attempt.js';

/** Standard Webhooks 1.0: ten attempts over 75 h 35 min, so that a weekend's outage is survived. */
const WEBHOOK = [
  0,
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
const MAIL = [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR];
/** Receivers that recover together are not met by everybody at the same instant. */
const JITTER = 0.2;
/** A receiver that is overloaded, or behind a gateway that says so, is left alone for this long at least. */
const RELIEF = MINUTE;
const OVERLOADED = new Set([429, 502, 504]);

/** The delays before each attempt, the first being the delivery's birth. */
export class RetrySchedule {
  private constructor(
    private readonly delays: readonly number[],
    /** Divides every duration (TIME_SCALE). */
    private readonly scale: number,
    private readonly random: () => number,
  ) {}

  static forWebhooks(scale: number, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(WEBHOOK, scale, random);
  }

  static forMail(scale: number, random: () => number = Math.random): RetrySchedule {
    return new RetrySchedule(MAIL, scale, random);
  }

  /**
   * Milliseconds from the end of the `failures`-th failed attempt to the next one, or null when that was the last.
   * The receiver's Retry-After counts between one and two steps; below, it would hurry us, beyond, it would park us.
   */
  delayAfter(failures: number, outcome: AttemptOutcome): number | null {
    const delay = this.delays[failures];
    if (delay === undefined) return null;
    const jittered = delay * (1 - JITTER + 2 * JITTER * this.random());
    const step = (isOverloaded(outcome) ? Math.max(jittered, RELIEF) : jittered) / this.scale;
    return Math.round(Math.min(Math.max(outcome.retryAfter ?? 0, step), 2 * step));
  }
}

function isOverloaded({ outcome, responseStatus }: AttemptOutcome): boolean {
  return outcome === 'timeout' || (outcome === 'http_error' && OVERLOADED.has(responseStatus ?? 0));
}
