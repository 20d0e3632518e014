import { createHash, randomUUID } from 'node:crypto';
import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { after } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from './attempt.js';
import type { NotificationChannel } from './notification-channel.js';
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js';

/** Neither one account nor many together may flood a mailbox with confirmation mails. */
const LIMITS = { mailboxInDay: 3, accountInDay: 20, accountInHour: 10 };
/** How many of an account's confirmations decide when it may request the next. */
export const COUNTED_CONFIRMATIONS = LIMITS.accountInDay;

export interface RecentConfirmations {
  /** Counts those to this mailbox, by all accounts. */
  readonly mailboxInDay: number;
  /** Lists those of the account, scheduled ones included; newest first, at most COUNTED_CONFIRMATIONS. */
  readonly byAccount: readonly Date[];
}

/**
 * When the account may send the next confirmation mail: now, or once its limits per hour and day allow it. null: never,
 * since the mailbox's limit is reached or a whole day of the account's mails is scheduled.
 */
export function nextConfirmationAt(
  { mailboxInDay, byAccount }: RecentConfirmations,
  now: Date,
  { hour, day }: TimeUnits,
): Date | null {
  if (mailboxInDay >= LIMITS.mailboxInDay) return null;
  const [hourAgo, dayAgo] = [byAccount[LIMITS.accountInHour - 1], byAccount[LIMITS.accountInDay - 1]];
  const at = Math.max(
    now.getTime(),
    hourAgo ? after(hourAgo, hour).getTime() : 0,
    dayAgo ? after(dayAgo, day).getTime() : 0,
  );
  return at > after(now, day).getTime() ? null : new Date(at);
}

type ConfirmableChannel = Pick<NotificationChannel, 'id' | 'accountId' | 'canonicalTarget'>;

/** A request to an address to confirm a channel: one mail with a link that is valid for a day and one use. */
export class AddressConfirmation extends AggregateRoot<AddressConfirmation> {
  declare readonly id: string;
  declare readonly accountId: string;
  declare readonly channelId: string;
  /** A hash, from `mailboxKey`. */
  declare readonly mailbox: string;
  /** When the mail is due: above an account's limit it is scheduled for later. */
  declare readonly createdAt: Date;
  declare readonly expiresAt: Date;
  declare readonly usedAt: Date | null;
  declare readonly failures: number;
  /** null once the mail was sent or abandoned. */
  declare readonly nextAttemptAt: Date | null;
  declare readonly leaseToken: string | null;

  private constructor(fields: FieldsOf<AddressConfirmation>) {
    super();
    this.become(fields);
  }

  static request(
    { id: channelId, accountId, canonicalTarget }: ConfirmableChannel,
    at: Date,
    { day }: TimeUnits,
  ): AddressConfirmation {
    return new AddressConfirmation({
      id: randomUUID(),
      accountId,
      channelId,
      mailbox: mailboxKey(canonicalTarget),
      createdAt: at,
      expiresAt: after(at, day),
      usedAt: null,
      failures: 0,
      nextAttemptAt: at,
      leaseToken: null,
    });
  }

  isOpen(now: Date): boolean {
    return this.usedAt === null && now < this.expiresAt;
  }

  /** Applies the outcome of an attempt to send it and ends the lease. */
  finishAttempt(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    const failures = this.failures + (outcome.outcome === 'ok' ? 0 : 1);
    const retryAt = this.nextAttemptAt === null ? null : nextAttemptAt(outcome, schedule, failures, now);
    this.become({ failures, nextAttemptAt: retryAt, leaseToken: null });
  }

  /** The confirmation is no longer needed. */
  abandon(): void {
    this.become({ nextAttemptAt: null, leaseToken: null });
  }
}

/**
 * One key for addresses that most providers deliver to one mailbox. A hash, since it is stored longer than its channel.
 */
export function mailboxKey(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address
    .slice(0, at)
    .toLowerCase()
    .replace(/(?<=.)\+.*$/, '');
  return createHash('sha256')
    .update(`${local}${address.slice(at).toLowerCase()}`)
    .digest('hex');
}

/** One mailbox, as a recipient of one account. */
export interface Recipient {
  readonly accountId: string;
  /** Comes from `mailboxKey`. */
  readonly mailbox: string;
}

export function toRecipient({ accountId, canonicalTarget }: Omit<ConfirmableChannel, 'id'>): Recipient {
  return { accountId, mailbox: mailboxKey(canonicalTarget) };
}
