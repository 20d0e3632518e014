import { describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import fc from 'fast-check';
import { HOUR, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { failed, type AttemptOutcome } from '../../../../src/notifications/domain/attempt.js';
import { RetrySchedule } from '../../../../src/notifications/domain/retry-schedule.js';

const even = () => 0.5; // no jitter
const refused = failed('connect');
const status = (responseStatus: number, retryAfterMs: number | null = null): AttemptOutcome =>
  failed('http_error', { responseStatus, retryAfterMs });

describe('the retry schedule for webhooks', () => {
  const schedule = RetrySchedule.forWebhooks(TimeUnits.REAL, even);

  it('allows ten attempts over 75 hours and 35 minutes, then gives up', () => {
    const delays = Array.from({ length: 10 }, (_, i) => schedule.nextDelayMs(i + 1, refused));
    const hours = [2, 5, 10, 14, 20, 24].map((n) => n * HOUR);
    expect(delays).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours, null]);
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)).toBe(75 * HOUR + 35 * MINUTE + 5 * SECOND);
  });

  it('lengthens or shortens each delay at random by up to 20 percent', () => {
    expect(RetrySchedule.forWebhooks(TimeUnits.REAL, () => 0).nextDelayMs(2, refused)).toBe(4 * MINUTE);
    expect(RetrySchedule.forWebhooks(TimeUnits.REAL, () => 1).nextDelayMs(2, refused)).toBe(6 * MINUTE);
  });

  it.each([429, 502, 504])('waits at least a minute after the status %i', (code) => {
    expect(schedule.nextDelayMs(1, status(code))).toBe(MINUTE);
    expect(schedule.nextDelayMs(2, status(code))).toBe(5 * MINUTE);
  });

  it('waits a minute after a first timeout, but five seconds after a first status 500 or 503', () => {
    expect(schedule.nextDelayMs(1, failed('timeout'))).toBe(MINUTE);
    expect(schedule.nextDelayMs(1, status(500))).toBe(5 * SECOND);
    expect(schedule.nextDelayMs(1, status(503))).toBe(5 * SECOND);
  });

  it.each([
    ['as long as Retry-After asks, if that is one to two times the planned delay', 2, 7 * MINUTE, 7 * MINUTE],
    ['for the planned delay if Retry-After is shorter', 2, SECOND, 5 * MINUTE],
    ['for twice the planned delay if Retry-After is longer', 2, 24 * HOUR, 10 * MINUTE],
    ['for twice the planned delay if Retry-After is infinite', 2, Infinity, 10 * MINUTE],
  ])('waits %s', (_how, failures, asked, given) => {
    expect(schedule.nextDelayMs(failures, status(503, asked))).toBe(given);
  });

  it('limits Retry-After to twice the randomized delay, or twice the one-minute minimum after 429', () => {
    const early = RetrySchedule.forWebhooks(TimeUnits.REAL, () => 0);
    expect(early.nextDelayMs(2, status(503, 4.5 * MINUTE))).toBe(4.5 * MINUTE);
    expect(early.nextDelayMs(2, status(503, HOUR))).toBe(8 * MINUTE);
    expect(schedule.nextDelayMs(1, status(429, 90 * SECOND))).toBe(90 * SECOND);
    expect(schedule.nextDelayMs(1, status(429, HOUR))).toBe(2 * MINUTE);
  });

  it('gives up after the tenth failure even if the answer has a Retry-After', () => {
    expect(schedule.nextDelayMs(10, status(429, SECOND))).toBeNull();
  });

  it('is shortened by the setting TIME_SCALE, including the minimum wait after status 429', () => {
    const fast = RetrySchedule.forWebhooks(TimeUnits.fromScale(60), even);
    expect(fast.nextDelayMs(2, refused)).toBe(5 * SECOND);
    expect(fast.nextDelayMs(1, status(429))).toBe(SECOND);
  });

  it('waits 0.8 to 2.4 times the planned delay, for any Retry-After and random variation', () => {
    const retryAfterMs = fc.option(fc.double({ min: 0, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        retryAfterMs,
        (n, r, asked) => {
          const step = schedule.nextDelayMs(n, refused) ?? 0;
          const delay = RetrySchedule.forWebhooks(TimeUnits.REAL, () => r).nextDelayMs(n, status(500, asked)) ?? 0;
          expect(delay).toBeGreaterThanOrEqual(Math.floor(0.8 * step));
          expect(delay).toBeLessThanOrEqual(Math.ceil(2.4 * step));
        },
      ),
    );
  });
});

describe('the retry schedule for mail', () => {
  it('allows seven attempts within 33 hours, then gives up', () => {
    const schedule = RetrySchedule.forMail(TimeUnits.REAL, even);
    const delays = Array.from({ length: 7 }, (_, i) => schedule.nextDelayMs(i + 1, failed('mail_rejected')));
    expect(delays).toEqual([MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR, null]);
  });
});
