import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';
import { isUrgent } from './event-type.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import { DeliveryPending } from './notifications.errors.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'paused', 'disabled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** After so many the schedule waits for minutes. */
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
  /** Including lost ones: the number of the last attempt. */
  declare readonly attempts: number;
  /** Failed attempts, which is the position in the retry schedule. A lost attempt is repeated, not counted. */
  declare readonly failures: number;
  /** null when no attempt is due. */
  declare readonly nextAttemptAt: Date | null;
  declare readonly createdAt: Date;
  /** Whether people get it before what can wait; so is what somebody asks for and waits to see. */
  declare readonly urgent: boolean;

  private constructor(fields: FieldsOf<Delivery>) {
    super();
    this.become(fields);
  }

  /** Due at once. */
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
   * Applies the outcome of an attempt. A delivery that was asked for again since the start stays due.
   * @param retryAt by the failures so far; null: there is no further attempt
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

  /** The channel is inactive. */
  pause(): void {
    if (this.state === 'pending') this.close('paused');
  }

  /** Starts the schedule again; the attempts so far are kept. @throws DeliveryPending */
  redeliver(now: Date): void {
    if (this.state === 'pending') throw new DeliveryPending();
    this.become({ state: 'pending', failures: 0, nextAttemptAt: now, urgent: true });
  }

  private close(state: DeliveryState): void {
    this.become({ state, nextAttemptAt: null });
  }
}
