import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';
import { isUrgent } from './event-type.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import { DeliveryPending } from './notifications.errors.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'paused', 'disabled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * If this process lacks the key of a channel's secrets, the next attempt waits as if this many had failed: about five
 * minutes or longer.
 */
const FAILURES_BEFORE_A_PAUSE = 2;

/**
 * The delivery of one event to one channel.
 *
 *     pending ──accepted──▶ delivered
 *        │ ──rejected for good, or retries exhausted──▶ failed
 *        │ ──channel inactive──▶ paused (kept for replay)
 *        │ ──watchlist entry deleted──▶ disabled
 *        ◀──redelivered── any other state
 *
 * Only the worker that holds the channel's time-limited lock (lease) makes and stores attempts.
 */
export class Delivery extends AggregateRoot<Delivery> {
  declare readonly id: string;
  declare readonly eventId: string;
  declare readonly channelId: string;
  declare readonly state: DeliveryState;
  /** The number of attempts, including attempts that a crash interrupted. */
  declare readonly attempts: number;
  /** The number of failed attempts, which selects the next delay. Attempts lost in a crash do not count. */
  declare readonly failures: number;
  /** null if no further attempt is planned. */
  declare readonly nextAttemptAt: Date | null;
  declare readonly createdAt: Date;
  /** Urgent deliveries reach people sooner, and come first in a message. Tests and redeliveries are urgent. */
  declare readonly urgent: boolean;

  private constructor(fields: FieldsOf<Delivery>) {
    super();
    this.become(fields);
  }

  static create(
    event: { readonly id: string; readonly createdAt: Date } & Parameters<typeof isUrgent>[0],
    channel: { readonly id: string },
  ): Delivery {
    const { id, createdAt } = event;
    return new Delivery({
      id: newId('dl'),
      eventId: id,
      channelId: channel.id,
      state: 'pending',
      attempts: 0,
      failures: 0,
      nextAttemptAt: createdAt,
      createdAt,
      urgent: isUrgent(event),
    });
  }

  finishAttempt(
    outcome: AttemptOutcome,
    { startedAt }: Pick<Attempt, 'startedAt'>,
    retryAt: (failures: number) => Date | null,
  ): void {
    // The account asked for a repeat during the attempt, so the outcome changes nothing.
    if (this.nextAttemptAt !== null && this.nextAttemptAt > startedAt) return;
    if (outcome.outcome === 'ok') return this.close('delivered');
    if (outcome.isForWantOfKey !== true) this.become({ failures: this.failures + 1 });
    if (this.state !== 'pending') return; // the delivery was paused or disabled during the attempt
    const nextAttemptAt = retryAt(
      Math.max(this.failures, outcome.isForWantOfKey === true ? FAILURES_BEFORE_A_PAUSE : 0),
    );
    if (nextAttemptAt === null) return this.close('failed');
    this.become({ nextAttemptAt });
  }

  /** Stops the attempts, because the channel is inactive. The account can replay the delivery later. */
  pause(): void {
    if (this.state === 'pending') this.close('paused');
  }

  /** Starts the retry schedule again. @throws DeliveryPending if the delivery is still pending */
  redeliver(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now, urgent: true });
  }

  private close(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}
