import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import { Attempt, type AttemptOutcome } from './attempt.js';
import type { NotificationEvent } from './notification-event.js';
import { DeliveryPending } from './notifications.errors.js';
import type { RetrySchedule } from './retry-schedule.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'paused' | 'disabled';

/**
 * One event on its way to one channel.
 *
 *     pending ──taken──▶ delivered
 *        │ ──refused for good, or too often──▶ failed
 *        │ ──the channel was made inactive──▶ paused (kept for replay)
 *        │ ──the entry was deleted──▶ disabled
 *        ◀──asked for again── any of them
 *
 * Whoever makes an attempt holds the delivery by a lease token; the lease itself is the database's, on its own clock.
 */
export class Delivery extends AggregateRoot<Delivery> {
  private constructor(
    readonly id: string,
    readonly eventId: string,
    readonly channelId: string,
    readonly state: DeliveryState,
    /** Attempts made so far, lost ones too: the number of the last one. */
    readonly attempts: number,
    /** Attempts that failed, which is how far the schedule has come. A lost one is repeated, not counted. */
    readonly failures: number,
    /** null once there is nothing more to try. */
    readonly nextAttemptAt: Date | null,
    readonly leaseToken: string | null,
    readonly createdAt: Date,
  ) {
    super();
  }

  /** Due at once. */
  static of(event: NotificationEvent, channelId: string): Delivery {
    return new Delivery(newId('dl'), event.id, channelId, 'pending', 0, 0, event.createdAt, null, event.createdAt);
  }

  begin(now: Date): Attempt {
    this.become({ attempts: this.attempts + 1 });
    return Attempt.start(this.id, this.attempts, now);
  }

  /** The attempt under way is over: this is what follows from it. The lease ends with it. */
  settle(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    this.become({ leaseToken: null });
    if (outcome.outcome === 'ok') return this.end('delivered');
    this.become({ failures: this.failures + 1 });
    if (this.state !== 'pending') return; // paused or disabled during the attempt: no more of them
    const delay = outcome.final ? null : schedule.delayAfter(this.failures, outcome);
    if (delay === null) return this.end('failed');
    this.become({ nextAttemptAt: after(now, delay) });
  }

  /** The channel takes nothing at present. */
  pause(): void {
    this.become({ leaseToken: null });
    if (this.state === 'pending') this.end('paused');
  }

  /** Once more from the start of the schedule; its attempts are added to those it has. @throws DeliveryPending */
  repeat(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now });
  }

  private end(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}

/** The right to make the next attempt, until the lease ends or the token is spent. */
export interface Claim {
  readonly id: string;
  readonly token: string;
}

/** Those whose events happened from `from` to `to`, both included. */
export interface RepeatRange {
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
}

/** All deliveries. Claiming and giving back are statements of their own; the rest works inside a unit of work. */
export abstract class Deliveries {
  /**
   * Claims what is due and held by nobody; what a dead holder had begun becomes `lost`.
   * @param limit claims that may be under way at a time, over all processes
   */
  abstract claimDue(now: Date, limit: number): Promise<Claim[]>;
  /** Frees what was claimed but could not be handed on. */
  abstract giveBack(claims: readonly Claim[]): Promise<void>;
  /**
   * Spends a claim for a fresh lease, so that the same job, run twice, makes one attempt.
   * @returns null when the claim is no longer good.
   */
  abstract take(claim: Claim): Promise<Delivery | null>;
  /** The delivery, locked, if the holder of this token still holds it. */
  abstract heldBy(claim: Claim): Promise<Delivery | null>;
  /** The account's delivery of this id, locked. */
  abstract findLocked(accountId: string, id: string): Promise<Delivery | null>;
  abstract addAttempt(attempt: Attempt): Promise<void>;
  abstract endAttempt(attempt: Attempt): Promise<void>;
  /** Ends what is pending about entries that are no longer watched; both lists belong together. */
  abstract withdraw(accountIds: readonly string[], entryIds: readonly string[]): Promise<void>;
  /** Pauses what is pending for a channel, which is locked. */
  abstract pauseAllFor(channelId: string): Promise<void>;
  /** Repeats what is not pending for a channel, which is locked. @returns how many */
  abstract repeatAll(channelId: string, range: RepeatRange): Promise<number>;
}
