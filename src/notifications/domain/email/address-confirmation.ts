import { createHash, randomUUID } from 'node:crypto';
import { AggregateRoot } from '../../../kernel/aggregate-root.js';
import { after, DAY, HOUR } from '../../../kernel/clock.js';
import type { AttemptOutcome } from '../deliveries/attempt.js';
import type { Claim } from '../deliveries/delivery.js';
import type { RetrySchedule } from '../deliveries/retry-schedule.js';

/** How long an address may take to answer. */
const VALIDITY_MS = DAY;
/** No account may use us to fill somebody's mailbox, and no crowd of accounts either. */
const LIMITS = { mailboxInDay: 3, accountInDay: 20, accountInHour: 10 };
/** So many of an account's questions decide when it may ask the next one. */
export const COUNTED_CONFIRMATIONS = LIMITS.accountInDay;

/** Which questions were asked of late, or are to be asked. */
export interface RecentConfirmations {
  /** How many of this mailbox, by all accounts. */
  readonly mailboxInDay: number;
  /** When the account asked, or will; newest first, as many as count. */
  readonly byAccount: readonly Date[];
}

/**
 * When the account may ask: at once, or when its hour and its day have room again. null: not at all, since the mailbox
 * was asked often enough, or the account has a whole day's questions waiting.
 * @param timeScale divides every duration (TIME_SCALE)
 */
export function nextConfirmationAt(
  { mailboxInDay, byAccount }: RecentConfirmations,
  now: Date,
  timeScale: number,
): Date | null {
  if (mailboxInDay >= LIMITS.mailboxInDay) return null;
  const [hourAgo, dayAgo] = [byAccount[LIMITS.accountInHour - 1], byAccount[LIMITS.accountInDay - 1]];
  const at = Math.max(
    now.getTime(),
    hourAgo ? after(hourAgo, HOUR / timeScale).getTime() : 0,
    dayAgo ? after(dayAgo, DAY / timeScale).getTime() : 0,
  );
  return at > after(now, DAY / timeScale).getTime() ? null : new Date(at);
}

/** Whose consent is asked for. */
export interface ConfirmableChannel {
  readonly id: string;
  readonly accountId: string;
  readonly canonicalTarget: string;
}

/**
 * One question to an address whether it wants the mails of a channel: mailed once, answered by a link, good for a day
 * and for one answer.
 */
export class AddressConfirmation extends AggregateRoot<AddressConfirmation> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly channelId: string,
    /** Tells mailboxes apart, and nobody what they are called. */
    readonly mailbox: string,
    /** When it was asked, or is to be: questions beyond an account's budget wait for their hour. */
    readonly createdAt: Date,
    readonly expiresAt: Date,
    readonly usedAt: Date | null,
    readonly failures: number,
    /** null once the question was mailed, or given up. */
    readonly nextAttemptAt: Date | null,
    readonly leaseToken: string | null,
  ) {
    super();
  }

  /** @param timeScale divides every duration (TIME_SCALE) */
  static request(
    { id, accountId, canonicalTarget }: ConfirmableChannel,
    at: Date,
    timeScale: number,
  ): AddressConfirmation {
    const [mailbox, expiresAt] = [mailboxKey(canonicalTarget), after(at, VALIDITY_MS / timeScale)];
    return new AddressConfirmation(randomUUID(), accountId, id, mailbox, at, expiresAt, null, 0, at, null);
  }

  isOpen(now: Date): boolean {
    return this.usedAt === null && now < this.expiresAt;
  }

  /** An attempt to mail it is over; the lease ends with it. */
  finishAttempt(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    const failures = this.failures + (outcome.outcome === 'ok' ? 0 : 1);
    const isOver = outcome.outcome === 'ok' || outcome.final || this.nextAttemptAt === null;
    const delayMs = isOver ? null : schedule.nextDelayMs(failures, outcome);
    this.become({ failures, nextAttemptAt: delayMs === null ? null : after(now, delayMs), leaseToken: null });
  }

  /** Nobody needs an answer any more. */
  abandon(): void {
    this.become({ nextAttemptAt: null, leaseToken: null });
  }
}

/**
 * For the limits, addresses that most providers bring to one mailbox are one. Stored as a digest: the question is kept
 * longer than its channel.
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

/** One mailbox, as one account reaches it. */
export interface Recipient {
  readonly accountId: string;
  /** From `mailboxKey`: however its address is spelt. */
  readonly mailbox: string;
}

export function toRecipient({ accountId, canonicalTarget }: Omit<ConfirmableChannel, 'id'>): Recipient {
  return { accountId, mailbox: mailboxKey(canonicalTarget) };
}

/** All questions. Claiming and forgetting are statements of their own; the rest works inside a unit of work. */
export abstract class AddressConfirmationRepository {
  abstract add(confirmation: AddressConfirmation): void;
  /** No one else can ask the mailbox, or on behalf of the account, before this unit of work ends. */
  abstract lockRecent(recipient: Recipient, dayAgo: Date): Promise<RecentConfirmations>;
  abstract find(id: string): Promise<AddressConfirmation | null>;
  /** The id of the channel it is about, though that may be gone. */
  abstract findChannelId(id: string): Promise<string | null>;
  /** Links for these channels, which are locked, that were mailed so far are good no more. */
  abstract invalidateLinks(channelIds: readonly string[], now: Date): Promise<void>;
  /** Claims those that are to be mailed, each under a lease. */
  abstract claimDue(now: Date, limit: number): Promise<Claim[]>;
  /** The question, locked, if the holder of this token still holds it. */
  abstract lockClaimed(claim: Claim): Promise<AddressConfirmation | null>;
  abstract purge(before: Date): Promise<void>;
}
