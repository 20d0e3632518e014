import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelLease } from '../domain/channel-lease.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { StartedDelivery } from './attempts.repository.js';

/** The attempts for a leased channel: they are stored and about to be made. */
export interface Batch {
  readonly lease: ChannelLease;
  /** Is as it was at the start of the attempts. */
  readonly channel: NotificationChannel;
  readonly sender: ChannelSender;
  readonly started: readonly StartedDelivery[];
  /** Is read from `performance.now()`; the lease started no earlier. */
  readonly leasedAt: number;
}

/** A started attempt that has ended. */
export interface FinishedAttempt extends StartedDelivery {
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}

/** A batch with all of its outcomes, in the same order. */
export interface FinishedBatch extends Batch {
  readonly finished: readonly FinishedAttempt[];
}
