import { describe, expect, it } from '@jest/globals';
import { after, DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { accepted, failed } from '../../../../src/notifications/domain/attempt.js';
import { linkEnd, retryAt, whenAllowed } from '../../../../src/notifications/domain/own-mail.js';
import { RetrySchedule } from '../../../../src/notifications/domain/retry-schedule.js';

const now = new Date('2026-11-28T12:00:00Z');
const units = TimeUnits.REAL;
const ago = (ms: number) => after(now, -ms);
const aMail = (kind: 'confirmation' | 'invitation', createdAt = now) => ({
  kind,
  createdAt,
  expiresAt: after(createdAt, 7 * DAY),
});
/** So many mails, one a second, the newest of them that long ago. */
const sent = (count: number, newestAgo: number, of: { isOfAccount?: boolean; isToMailbox?: boolean }) =>
  Array.from({ length: count }, (_, n) => ({
    at: ago(newestAgo + n * 1_000),
    isOfAccount: of.isOfAccount ?? false,
    isToMailbox: of.isToMailbox ?? false,
  }));

const [ACCOUNT, MAILBOX] = [{ isOfAccount: true }, { isToMailbox: true }];

describe('a confirmation or invitation mail', () => {
  it.each([
    ['a confirmation goes at once after two to the same mailbox', 'confirmation', sent(2, HOUR, MAILBOX), now],
    ['a confirmation is never sent after three to the same mailbox', 'confirmation', sent(3, HOUR, MAILBOX), null],
    [
      'a confirmation waits for the end of the hour after ten of its account',
      'confirmation',
      sent(10, MINUTE, ACCOUNT),
      after(now, HOUR - MINUTE - 9_000),
    ],
    ['a confirmation goes at once if ten of its account are an hour old', 'confirmation', sent(10, HOUR, ACCOUNT), now],
    [
      'a confirmation waits for the end of the day after twenty of its account',
      'confirmation',
      sent(20, 2 * HOUR, ACCOUNT),
      after(now, 22 * HOUR - 19_000),
    ],
    [
      'an invitation waits for the end of the day after six to the same mailbox',
      'invitation',
      sent(6, HOUR, MAILBOX),
      after(now, 23 * HOUR - 5_000),
    ],
    [
      'an invitation goes at once after two of its account to other mailboxes',
      'invitation',
      sent(2, HOUR, ACCOUNT),
      now,
    ],
    [
      'an invitation waits for the end of the day after two of its account to the same mailbox',
      'invitation',
      sent(2, HOUR, { ...ACCOUNT, ...MAILBOX }),
      after(now, 23 * HOUR - 1_000),
    ],
    [
      'an invitation waits for the end of the day after fifty of its account',
      'invitation',
      sent(50, HOUR, ACCOUNT),
      after(now, 23 * HOUR - 49_000),
    ],
    [
      'an invitation goes at once if fifty of its account have a time in the future',
      'invitation',
      sent(50, -HOUR, ACCOUNT),
      now,
    ],
  ] as const)('obeys its sending limits: %s', (_, kind, counted, at) => {
    expect(whenAllowed(aMail(kind), counted, now, units)).toEqual(at);
  });

  it('is given up if the limits delay a confirmation beyond a day, but not an invitation', () => {
    const full = sent(10, MINUTE, ACCOUNT);
    expect(whenAllowed(aMail('confirmation', ago(22 * HOUR)), full, now, units)).toEqual(
      after(now, HOUR - MINUTE - 9_000),
    );
    expect(whenAllowed(aMail('confirmation', ago(DAY - MINUTE)), full, now, units)).toBeNull();
    expect(whenAllowed(aMail('confirmation', ago(2 * DAY)), [], now, units)).toEqual(now);
    expect(whenAllowed(aMail('invitation', ago(3 * DAY)), sent(50, HOUR, ACCOUNT), now, units)).not.toBeNull();
  });

  it('has a link that works for a day (confirmation) or until the invitation expires', () => {
    const later = after(now, 5 * HOUR);
    expect(linkEnd(aMail('confirmation'), later, units)).toEqual(after(later, DAY));
    expect(linkEnd(aMail('invitation'), later, units)).toEqual(after(now, 7 * DAY));
  });
});

describe('a confirmation or invitation mail that failed', () => {
  const schedule = RetrySchedule.forMail(units, () => 0.5);
  const retry = (outcome: ReturnType<typeof failed>, failures: number) =>
    retryAt(outcome, schedule, failures, now, units);

  it('is retried according to the schedule for mail, unless the failure is final', () => {
    expect(retry(failed('mail_rejected'), 1)).toEqual(after(now, MINUTE));
    expect(retry(failed('mail_rejected'), 7)).toBeNull();
    expect(retry(failed('mail_rejected', { final: true }), 1)).toBeNull();
  });

  it('is retried after six hours if its schedule has ended and Namewatch caused the failure', () => {
    const ours = { fault: 'service' } as const;
    expect(retry(failed('connect', ours), 7)).toEqual(after(now, 6 * HOUR));
    expect(retry(failed('mail_rejected', { ...ours, final: true }), 1)).toEqual(after(now, 6 * HOUR));
    expect(retry(accepted(250, null), 1)).toBeNull();
  });
});
