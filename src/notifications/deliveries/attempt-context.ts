import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { Claim, Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { NotificationEvent } from '../domain/notification-event.js';

/** A delivery with what is needed to send it. */
export interface SendableDelivery {
  readonly delivery: Delivery;
  /** Is as it was at the start of the attempt. */
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
  readonly sender: ChannelSender;
}

/** A stored attempt that is about to be made. */
export interface AttemptContext extends SendableDelivery {
  readonly claim: Claim;
  readonly attempt: Attempt;
  /** Is read from `performance.now()`; the lease started no earlier. */
  readonly leasedAt: number;
}

/** `started` is null for a mail or chat, which is counted first, and where nothing can be sent. */
export interface ClaimedDelivery extends Claim {
  readonly started: AttemptContext | null;
}

export interface FinishedAttempt {
  readonly context: AttemptContext;
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}
