import { after, isFromFuture } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from './attempt.js';
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js';

/** A mail that is no delivery: it asks an address to confirm a channel, or invites somebody. */
interface OwnMail {
  readonly kind: 'confirmation' | 'invitation';
  readonly createdAt: Date;
  /** Until when the link in it is good. */
  readonly expiresAt: Date;
}

/** A mail that the limits count. */
interface CountedMail {
  readonly at: Date;
  readonly isOfAccount: boolean;
  readonly isToMailbox: boolean;
}

interface Limit {
  /** Mails of one account, to one mailbox by whatever account, or both. */
  readonly counts: 'account' | 'mailbox' | 'both';
  readonly most: number;
  readonly per: 'hour' | 'day';
}

/** Anyone with an account chooses where these mails go, and accounts may act together. */
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

/** A question may be answered for a day from when it is due. */
export function linkEnd(
  { kind, expiresAt }: Pick<OwnMail, 'kind' | 'expiresAt'>,
  dueAt: Date,
  { day }: TimeUnits,
): Date {
  return kind === 'confirmation' ? after(dueAt, day) : expiresAt;
}

/**
 * When the limits let a mail go: `now` unless they are reached. null: never, since a mailbox that was asked three times
 * today is not asked again, nor does a question wait for more than a day.
 * @param counted of its kind in the last day, by its account or to its mailbox
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

/** Separates attempts after the schedule is over. */
const LATER_HOURS = 6;

export function muchLater(now: Date, { hour }: TimeUnits): Date {
  return after(now, LATER_HOURS * hour);
}

/**
 * When a mail is tried again: by the schedule, then every six hours where this service is to blame, as long as its link
 * is good. null: never.
 * @param failures up to this outcome
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
