import type { NotificationChannel } from '../domain/channels/notification-channel.js';
import type { Claim, Delivery, SucceededAttempt } from '../domain/deliveries/delivery.js';
import type { NotificationEvent } from '../domain/events/notification-event.js';

export interface StartOptions {
  readonly now: Date;
  /** Claims in progress at a time, over all processes. */
  readonly limit: number;
  /** Channel types whose attempts need no unit of work to start. */
  readonly types: readonly string[];
}

/** A delivery whose attempt started: its number is the delivery's, and its token the claim's. */
export interface StartedDelivery {
  readonly delivery: Delivery;
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
}

export interface ClaimedDelivery {
  readonly claim: Claim;
  /** null when the attempt has to be started by itself: another type, or an inactive channel. */
  readonly started: StartedDelivery | null;
}

export interface FinishedAndClaimed {
  /** The tokens of the attempts whose deliveries were marked. */
  readonly delivered: ReadonlySet<string>;
  readonly claimed: readonly ClaimedDelivery[];
}

/** Claims and starts attempts at once, for a process that makes them itself. */
export abstract class AttemptStarter {
  /** As `DeliveryRepository.claimDue`, at these hosts. Own statement: the attempts are stored when it resolves. */
  abstract claimAndStart(hosts: readonly string[], options: StartOptions): Promise<ClaimedDelivery[]>;
  /**
   * The same, in one transaction behind `DeliveryRepository.markDelivered`: what that frees at the hosts is claimed again.
   */
  abstract finishAndStart(
    succeeded: readonly SucceededAttempt[],
    hosts: readonly string[],
    options: StartOptions,
  ): Promise<FinishedAndClaimed>;
}
