import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';
import { isUrgent } from './event-type.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import { DeliveryPending } from './notifications.errors.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'paused', 'disabled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** After this many failures, the retry schedule waits for minutes. */
const FAILURES_BEFORE_A_PAUSE = 2;

/**
 * The delivery of one event to one channel.
 *
 *     pending ──accepted──▶ delivered
 *        │ ──rejected for good, or retries exhausted──▶ failed
 *        │ ──channel inactive──▶ paused (kept for replay)
 *        │ ──entry deleted──▶ disabled
 *        ◀──redelivered── any other state
 *
 * The holder of its channel's lease makes and stores the attempts.
 */
export class Delivery extends AggregateRoot<Delivery> {
  declare readonly id: string;
  declare readonly eventId: string;
  declare readonly channelId: string;
  declare readonly state: DeliveryState;
  /** The number of attempts so far, including lost ones. */
  declare readonly attempts: number;
  /** Failed attempts, which is the position in the retry schedule. A lost attempt is repeated, not counted. */
  declare readonly failures: number;
  /** null when no attempt is due. */
  declare readonly nextAttemptAt: Date | null;
  declare readonly createdAt: Date;
  /** True if people get it before other deliveries. Tests and redeliveries are urgent too: somebody waits for them. */
  declare readonly urgent: boolean;

  private constructor(fields: FieldsOf<Delivery>) {
    super();
    this.become(fields);
  }

  /** Creates a delivery that is due at once. */
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

  /**
   * Applies the outcome of an attempt. If somebody asked for a redelivery since the attempt started, the delivery stays
   * due.
   * @param retryAt returns the time of the next attempt for a number of failures, or null if there is none
   */
  finishAttempt(
    outcome: AttemptOutcome,
    { startedAt }: Pick<Attempt, 'startedAt'>,
    retryAt: (failures: number) => Date | null,
  ): void {
    if (this.nextAttemptAt !== null && this.nextAttemptAt > startedAt) return;
    if (outcome.outcome === 'ok') return this.close('delivered');
    if (outcome.isForWantOfKey !== true) this.become({ failures: this.failures + 1 });
    if (this.state !== 'pending') return; // paused or disabled during the attempt: no retry
    const nextAttemptAt = retryAt(
      Math.max(this.failures, outcome.isForWantOfKey === true ? FAILURES_BEFORE_A_PAUSE : 0),
    );
    if (nextAttemptAt === null) return this.close('failed');
    this.become({ nextAttemptAt });
  }

  /** Keeps the delivery for a replay, because its channel is inactive. */
  pause(): void {
    if (this.state === 'pending') this.close('paused');
  }

  /** Starts the retry schedule again, and keeps the attempts so far. @throws DeliveryPending */
  redeliver(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now, urgent: true });
  }

  private close(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}
