import { after, isFromFuture } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from './attempt.js';
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js';

/** A mail that is not a notification: a request for confirmation, or an invitation. */
interface OwnMail {
  readonly kind: 'confirmation' | 'invitation';
  readonly createdAt: Date;
  /** When the link in the mail stops working. */
  readonly expiresAt: Date;
}

/** An earlier mail that counts towards the limits. */
interface CountedMail {
  readonly at: Date;
  readonly isOfAccount: boolean;
  readonly isToMailbox: boolean;
}

interface Limit {
  /** Counts mails of the account, mails of all accounts to the mailbox, or the account's mails to the mailbox. */
  readonly counts: 'account' | 'mailbox' | 'both';
  readonly most: number;
  readonly per: 'hour' | 'day';
}

/** Limits per mailbox protect strangers, because several accounts could send mails to one address. */
const LIMITS: Readonly<Record<OwnMail['kind'], readonly Limit[]>> = {
  confirmation: [
    { counts: 'mailbox', most: 3, per: 'day' },
    { counts: 'account', most: 10, per: 'hour' },
    { counts: 'account', most: 20, per: 'day' },
  ],
  invitation: [
    { counts: 'mailbox', most: 6, per: 'day' },
    { counts: 'both', most: 2, per: 'day' },
    { counts: 'account', most: 50, per: 'day' },
  ],
};

/** Returns when the link stops working. A confirmation link works for a day after its mail is due. */
export function linkEnd(
  { kind, expiresAt }: Pick<OwnMail, 'kind' | 'expiresAt'>,
  dueAt: Date,
  { day }: TimeUnits,
): Date {
  return kind === 'confirmation' ? after(dueAt, day) : expiresAt;
}

/**
 * @param counted mails of the same kind in the last day, by this account or to this mailbox
 * @returns when the limits allow the mail, or null if the mail must not be sent at all
 */
export function whenAllowed(
  { kind, createdAt }: OwnMail,
  counted: readonly CountedMail[],
  now: Date,
  units: TimeUnits,
): Date | null {
  const newestFirst = counted
    .filter(({ at }) => !isFromFuture(at, now))
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  let allowedAt = now;
  for (const { counts, most, per } of LIMITS[kind]) {
    const last = newestFirst.filter((mail) => isCountedBy(counts, mail))[most - 1];
    const freeAt = last ? after(last.at, units[per]) : now;
    if (freeAt <= allowedAt) continue;
    if (kind === 'confirmation' && counts === 'mailbox') return null;
    allowedAt = freeAt;
  }
  const waitsTooLong = kind === 'confirmation' && allowedAt > now && allowedAt > after(createdAt, units.day);
  return waitsTooLong ? null : allowedAt;
}

function isCountedBy(counts: Limit['counts'], { isOfAccount, isToMailbox }: CountedMail): boolean {
  return (counts === 'mailbox' || isOfAccount) && (counts === 'account' || isToMailbox);
}

/** The hours between attempts after the end of the retry schedule. */
const LATER_HOURS = 6;

export function muchLater(now: Date, { hour }: TimeUnits): Date {
  return after(now, LATER_HOURS * hour);
}

/**
 * If the service is at fault, for example because the mail relay is down, attempts go on after the retry schedule ends.
 * @param failures includes this outcome
 */
export function retryAt(
  outcome: AttemptOutcome,
  schedule: RetrySchedule,
  failures: number,
  now: Date,
  units: TimeUnits,
): Date | null {
  return (
    nextAttemptAt(outcome, schedule, failures, now) ?? (outcome.fault === 'service' ? muchLater(now, units) : null)
  );
}
