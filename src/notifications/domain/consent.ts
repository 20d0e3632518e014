import { createHash, randomUUID } from 'node:crypto';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after, DAY } from '../../kernel/clock.js';
import type { AttemptOutcome } from './attempt.js';
import type { Claim } from './delivery.js';
import type { RetrySchedule } from './retry-schedule.js';

/** How long an address may take to answer. */
const PATIENCE = DAY;
/** No account may use us to fill somebody's mailbox, and no crowd of accounts either. */
const LIMITS = { mailboxInDay: 3, accountInDay: 20, accountInHour: 10 };

/** How many questions were asked of late, over all accounts and by one of them. */
export interface AskedOfLate {
  readonly mailboxInDay: number;
  readonly accountInDay: number;
  readonly accountInHour: number;
}

export function mayAsk(asked: AskedOfLate): boolean {
  return (Object.keys(LIMITS) as (keyof AskedOfLate)[]).every((limit) => asked[limit] < LIMITS[limit]);
}

/** Whose consent is asked for. */
export interface Asking {
  readonly id: string;
  readonly accountId: string;
  readonly canonicalTarget: string;
}

/**
 * One question to an address whether it wants the mails of a channel: mailed once, answered by a link, good for a day
 * and for one answer.
 */
export class Consent extends AggregateRoot<Consent> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly channelId: string,
    /** Tells mailboxes apart, and nobody what they are called. */
    readonly mailbox: string,
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

  /** @param scale divides every duration (TIME_SCALE) */
  static ask({ id, accountId, canonicalTarget }: Asking, now: Date, scale: number): Consent {
    const [mailbox, until] = [mailboxOf(canonicalTarget), after(now, PATIENCE / scale)];
    return new Consent(randomUUID(), accountId, id, mailbox, now, until, null, 0, now, null);
  }

  isOpen(now: Date): boolean {
    return this.usedAt === null && now < this.expiresAt;
  }

  /** An attempt to mail it is over; the lease ends with it. */
  settle(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    const failures = this.failures + (outcome.outcome === 'ok' ? 0 : 1);
    const isOver = outcome.outcome === 'ok' || outcome.final || this.nextAttemptAt === null;
    const delay = isOver ? null : schedule.delayAfter(failures, outcome);
    this.become({ failures, nextAttemptAt: delay === null ? null : after(now, delay), leaseToken: null });
  }

  /** Nobody needs an answer any more. */
  drop(): void {
    this.become({ nextAttemptAt: null, leaseToken: null });
  }
}

/**
 * For the limits, addresses that most providers bring to one mailbox are one. Stored as a digest: the question is kept
 * longer than its channel.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address
    .slice(0, at)
    .toLowerCase()
    .replace(/(?<=.)\+.*$/, '');
  return createHash('sha256')
    .update(`${local}${address.slice(at).toLowerCase()}`)
    .digest('hex');
}

/** All questions. Claiming and forgetting are statements of their own; the rest works inside a unit of work. */
export abstract class Consents {
  abstract add(consent: Consent): void;
  /** Nobody else can ask the mailbox, or on behalf of the account, before this unit of work ends. */
  abstract askedOfLate(consent: Consent, dayAgo: Date, hourAgo: Date): Promise<AskedOfLate>;
  abstract find(id: string): Promise<Consent | null>;
  /** The id of the channel it is about, though that may be gone. */
  abstract channelOf(id: string): Promise<string | null>;
  /** Links to a channel, which is locked, that were mailed so far are good no more. */
  abstract endAllOf(channelId: string, now: Date): Promise<void>;
  /** Claims those that are to be mailed, each under a lease. */
  abstract claimDue(now: Date, limit: number): Promise<Claim[]>;
  /** The question, locked, if the holder of this token still holds it. */
  abstract heldBy(claim: Claim): Promise<Consent | null>;
  abstract forget(before: Date): Promise<void>;
}
