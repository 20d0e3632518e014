import { randomUUID } from 'node:crypto';
import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';
import { isUrgent } from './event-type.js';
import { Attempt, type AttemptOutcome } from './attempt.js';
import { DeliveryPending } from './notifications.errors.js';
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'paused', 'disabled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Attempts in progress at a time, over all processes: a slow receiver delays its own channel and host only. */
export const CONCURRENCY_LIMITS = { perChannel: 2, perHost: 5, total: 1_000 } as const;

/**
 * The delivery of one event to one channel.
 *
 *     pending ──accepted──▶ delivered
 *        │ ──rejected for good, or retries exhausted──▶ failed
 *        │ ──channel inactive or account suspended──▶ paused (kept for replay)
 *        │ ──entry deleted──▶ disabled
 *        ◀──redelivered── any other state
 *
 * An attempt holds the delivery by a lease token; the lease expires by the clock of the database.
 */
export class Delivery extends AggregateRoot<Delivery> {
  declare readonly id: string;
  declare readonly eventId: string;
  declare readonly channelId: string;
  /** The channel's. */
  declare readonly host: string;
  declare readonly state: DeliveryState;
  /** Including lost ones: the number of the last attempt. */
  declare readonly attempts: number;
  /** Failed attempts, which is the position in the retry schedule. A lost attempt is repeated, not counted. */
  declare readonly failures: number;
  /** null when no attempt is due. */
  declare readonly nextAttemptAt: Date | null;
  declare readonly leaseToken: string | null;
  declare readonly createdAt: Date;
  /** The digest that contains it; null while it is sent by itself. */
  declare readonly digestId: string | null;
  /** Whether it takes one of the places for urgent messages. What is sent again has been waited for, and does not. */
  declare readonly urgent: boolean;

  private constructor(fields: FieldsOf<Delivery>) {
    super();
    this.become(fields);
  }

  /** Due at once. */
  static create(
    event: { readonly id: string; readonly createdAt: Date } & Parameters<typeof isUrgent>[0],
    channel: { readonly id: string; readonly host: string },
  ): Delivery {
    const { id, createdAt } = event;
    return new Delivery({
      id: newId('dl'),
      eventId: id,
      channelId: channel.id,
      host: channel.host,
      state: 'pending',
      attempts: 0,
      failures: 0,
      nextAttemptAt: createdAt,
      leaseToken: null,
      createdAt,
      digestId: null,
      urgent: isUrgent(event),
    });
  }

  startAttempt(now: Date): Attempt {
    this.become({ attempts: this.attempts + 1, leaseToken: randomUUID() });
    return Attempt.start(this.id, this.attempts, now);
  }

  /** Applies the outcome of the attempt in progress and ends the lease. */
  finishAttempt(outcome: AttemptOutcome, schedule: RetrySchedule, now: Date): void {
    this.become({ leaseToken: null });
    if (outcome.outcome === 'ok') return this.close('delivered');
    this.become({ failures: this.failures + 1 });
    if (this.state !== 'pending') return; // paused or disabled during the attempt: no retry
    const retryAt = nextAttemptAt(outcome, schedule, this.failures, now);
    if (retryAt === null) return this.close('failed');
    this.become({ nextAttemptAt: retryAt });
  }

  /** Ends the lease; the channel is inactive. */
  pause(): void {
    this.become({ leaseToken: null });
    if (this.state === 'pending') this.close('paused');
  }

  /** This process has no sender for the channel type; another process may have one. */
  postpone(until: Date): void {
    this.become({ leaseToken: null, nextAttemptAt: until });
  }

  /** Starts the schedule again; the attempts so far are kept. @throws DeliveryPending */
  redeliver(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now, digestId: null, urgent: false });
  }

  private close(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}

/** The right to make the next attempt, until the lease expires. */
export interface Claim {
  readonly id: string;
  readonly token: string;
}
