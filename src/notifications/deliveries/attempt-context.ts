import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { Claim, Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { NotificationEvent } from '../domain/notification-event.js';

/** A stored attempt that is about to be made. */
export interface AttemptContext {
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  /** As of the start of the attempt. */
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
  readonly sender: ChannelSender;
  /** By `performance.now()`; the lease started no earlier. */
  readonly leasedAt: number;
}

export interface FinishedAttempt {
  readonly context: AttemptContext;
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}
