import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelLease } from '../domain/channel-lease.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { StartedDelivery } from './attempts.repository.js';

/** The attempts at deliveries to one leased channel. They are stored, but not made yet. */
export interface Batch {
  readonly lease: ChannelLease;
  /** The channel as it was when the attempts started. */
  readonly channel: NotificationChannel;
  readonly sender: ChannelSender;
  readonly started: readonly StartedDelivery[];
  /** A reading of `performance.now()` from before the lease started. */
  readonly leasedAt: number;
}

/** A started attempt that has ended. */
export interface FinishedAttempt extends StartedDelivery {
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}

/** A batch with its outcomes, in the order of `started`. */
export interface FinishedBatch extends Batch {
  readonly finished: readonly FinishedAttempt[];
}
