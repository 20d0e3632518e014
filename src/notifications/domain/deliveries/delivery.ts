import { randomUUID } from 'node:crypto';
import { AggregateRoot } from '../../../kernel/aggregate-root.js';
import { after } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/identifier.js';
import { Attempt, type AttemptOutcome } from './attempt.js';
import type { NotificationEvent } from '../events/notification-event.js';
import { DeliveryPending } from '../notifications.errors.js';
import type { RetrySchedule } from './retry-schedule.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'paused' | 'disabled';

/**
 * Attempts that may be under way at a time, over all processes: a receiver that is slow takes the places of its own
 * channel and host, and nobody else's.
 */
export const CONCURRENCY_LIMITS = { perChannel: 2, perHost: 5, total: 1_000 } as const;

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
    /** The channel's. */
    readonly host: string,
    readonly state: DeliveryState,
    /** Attempts made so far, lost ones too: the number of the last one. */
    readonly attempts: number,
    /** Attempts that failed, which is how far the schedule has come. A lost one is repeated, not counted. */
    readonly failures: number,
    /** null once there is nothing more to try. */
    readonly nextAttemptAt: Date | null,
    readonly leaseToken: string | null,
    readonly createdAt: Date,
    /** The digest that it goes out in; null while it goes out by itself. */
    readonly digestId: string | null,
  ) {
    super();
  }

  /** Due at once. */
  static create(
    { id, createdAt }: NotificationEvent,
    channel: { readonly id: string; readonly host: string },
  ): Delivery {
    const initialState = ['pending', 0, 0, createdAt, null, createdAt, null] as const;
    return new Delivery(newId('dl'), id, channel.id, channel.host, ...initialState);
  }

  /** Spends the claim for a token of its own, so that the same job, run twice, makes one attempt. */
  startAttempt(now: Date): Attempt {
    this.become({ attempts: this.attempts + 1, leaseToken: randomUUID() });
    return Attempt.start(this.id, this.attempts, now);
  }

  /** The attempt under way is over: this is what follows from it. The lease ends with it. */
  finishAttempt(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    this.become({ leaseToken: null });
    if (outcome.outcome === 'ok') return this.close('delivered');
    this.become({ failures: this.failures + 1 });
    if (this.state !== 'pending') return; // paused or disabled during the attempt: no more of them
    const delayMs = outcome.final ? null : schedule.nextDelayMs(this.failures, outcome);
    if (delayMs === null) return this.close('failed');
    this.become({ nextAttemptAt: after(now, delayMs) });
  }

  /** The channel takes nothing at present. */
  pause(): void {
    this.become({ leaseToken: null });
    if (this.state === 'pending') this.close('paused');
  }

  /** Nobody here can make the attempt: others may, and if they cannot, this process asks again later. */
  postpone(until: Date): void {
    this.become({ leaseToken: null, nextAttemptAt: until });
  }

  /** Once more from the start of the schedule; its attempts are added to those it has. @throws DeliveryPending */
  redeliver(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now, digestId: null });
  }

  private close(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}

/** The right to make the next attempt, until the lease ends or the token is spent. */
export interface Claim {
  readonly id: string;
  readonly token: string;
}

/** Those whose events happened from `from` to `to`, both included. */
export interface RedeliveryRange {
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
  /** Of more than so many, none is repeated. */
  readonly limit: number;
}

/** What a batch of deliveries brings about beside themselves. */
export interface AttemptChanges {
  readonly started?: readonly Attempt[];
  readonly finished?: readonly Attempt[];
}

/** The first attempt under a claim: the delivery as it becomes by it. */
export interface StartedAttempt {
  readonly claim: Claim;
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

/** An attempt that the receiver took, by the token that it was made under. */
export interface SucceededAttempt {
  readonly claim: Claim;
  readonly attempt: Attempt;
}

/** All deliveries. Claiming and giving back are statements of their own; the rest works inside a unit of work. */
export abstract class DeliveryRepository {
  /**
   * Claims what is due and held by nobody, within the places of channels and hosts; channels that wait for the same
   * place have the same chances. What a dead holder had begun becomes `lost`.
   * @param limit claims that may be under way at a time, over all processes
   */
  abstract claimDue(now: Date, limit: number): Promise<Claim[]>;
  /** The same at these hosts only. */
  abstract claimDueAtHosts(hosts: readonly string[], now: Date, limit: number): Promise<Claim[]>;
  /** Frees what was claimed but could not be handed on. */
  abstract release(claims: readonly Claim[]): Promise<void>;
  /**
   * The deliveries that these claims hold, locked, and outside any identity map: only `save` writes them.
   * @param whenLocked whether to wait for others who have them locked. Whoever asks for several must not: two of them
   *   could wait for each other.
   */
  abstract lockClaimed(claims: readonly Claim[], whenLocked: 'wait' | 'skip'): Promise<Delivery[]>;
  /** The deliveries that these claims hold, neither locked nor in any identity map: for `startAttempts`. */
  abstract findClaimed(claims: readonly Claim[]): Promise<Delivery[]>;
  /**
   * Begins attempts under claims that still hold, in a statement of its own; the lease begins anew with each. Deliveries
   * that are to wait for their digest, or that are pending no more, are for a unit of work.
   * @param started no delivery twice
   * @returns the deliveries that it began
   */
  abstract startAttempts(started: readonly StartedAttempt[]): Promise<ReadonlySet<string>>;
  /**
   * Ends what arrived at channels that nothing is held against, in a statement of its own.
   * @returns the tokens of those that it ended; what became of the others is for their units of work to say
   */
  abstract markDelivered(succeeded: readonly SucceededAttempt[]): Promise<ReadonlySet<string>>;
  /** Those of the channels, which are locked, where something that counts arrived after their first failure. */
  abstract findReachedSinceFailing(channelIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Writes what became of them; the leases of those with a token begin anew. */
  abstract save(deliveries: readonly Delivery[], attempts: AttemptChanges): Promise<void>;
  /** The account's delivery of this id, locked. */
  abstract findLocked(accountId: string, id: string): Promise<Delivery | null>;
  /** Ends what is pending about entries that are no longer watched; both lists belong together. */
  abstract cancelForEntries(accountIds: readonly string[], entryIds: readonly string[]): Promise<void>;
  /** Pauses what is pending for channels, which are locked. */
  abstract pauseForChannels(channelIds: readonly string[]): Promise<void>;
  /** Repeats what is not pending for a channel, which is locked. @returns how many; more than the limit, if any */
  abstract redeliverRange(channelId: string, range: RedeliveryRange): Promise<number>;
}
