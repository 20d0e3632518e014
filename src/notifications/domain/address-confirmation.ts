import { createHash, randomUUID } from 'node:crypto';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from './attempt.js';
import type { NotificationChannel } from './notification-channel.js';
import type { RetrySchedule } from './retry-schedule.js';

/** Neither one account nor many together may flood a mailbox with confirmation mails. */
const LIMITS = { mailboxInDay: 3, accountInDay: 20, accountInHour: 10 };
/** How many of an account's confirmations decide when it may request the next. */
export const COUNTED_CONFIRMATIONS = LIMITS.accountInDay;

export interface RecentConfirmations {
  /** To this mailbox, by all accounts. */
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
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly channelId: string,
    /** A hash, from `mailboxKey`. */
    readonly mailbox: string,
    /** When the mail is due: above an account's limit it is scheduled for later. */
    readonly createdAt: Date,
    readonly expiresAt: Date,
    readonly usedAt: Date | null,
    readonly failures: number,
    /** null once the mail was sent or abandoned. */
    readonly nextAttemptAt: Date | null,
    readonly leaseToken: string | null,
  ) {
    super();
  }

  /** Its link is valid for a day. */
  static request(
    { id, accountId, canonicalTarget }: ConfirmableChannel,
    at: Date,
    { day }: TimeUnits,
  ): AddressConfirmation {
    const [mailbox, expiresAt] = [mailboxKey(canonicalTarget), after(at, day)];
    return new AddressConfirmation(randomUUID(), accountId, id, mailbox, at, expiresAt, null, 0, at, null);
  }

  isOpen(now: Date): boolean {
    return this.usedAt === null && now < this.expiresAt;
  }

  /** Applies the outcome of an attempt to send it and ends the lease. */
  finishAttempt(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    const failures = this.failures + (outcome.outcome === 'ok' ? 0 : 1);
    const isOver = outcome.outcome === 'ok' || outcome.final || this.nextAttemptAt === null;
    const delayMs = isOver ? null : schedule.nextDelayMs(failures, outcome);
    this.become({ failures, nextAttemptAt: delayMs === null ? null : after(now, delayMs), leaseToken: null });
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
  /** From `mailboxKey`. */
  readonly mailbox: string;
}

export function toRecipient({ accountId, canonicalTarget }: Omit<ConfirmableChannel, 'id'>): Recipient {
  return { accountId, mailbox: mailboxKey(canonicalTarget) };
}
