import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelLease } from '../domain/channel-lease.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { StartedDelivery } from './attempts.repository.js';

/** The deliveries of one channel that a worker is about to send. Their attempts are already stored. */
export interface Batch {
  readonly lease: ChannelLease;
  /** The channel as it was when the attempts started. */
  readonly channel: NotificationChannel;
  readonly sender: ChannelSender;
  readonly started: readonly StartedDelivery[];
  /** The value of `performance.now()` just before the worker took the channel's lock (lease). */
  readonly leasedAt: number;
}

export interface FinishedAttempt extends StartedDelivery {
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}

export interface FinishedBatch extends Batch {
  readonly finished: readonly FinishedAttempt[];
}
