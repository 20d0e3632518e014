import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { Claim, Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { NotificationEvent } from '../domain/notification-event.js';

/** A stored attempt that is about to be made. */
export interface AttemptContext {
  /** With the token of this attempt, not of the claim that led to it. */
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

export function indexBy<Key, Entity>(entities: readonly Entity[], getKey: (entity: Entity) => Key): Map<Key, Entity> {
  return new Map(entities.map((entity) => [getKey(entity), entity]));
}

/**
 * The claims whose tokens match the deliveries, each once. Claims pile up while no worker runs, so a batch can hold
 * several claims of a delivery: only the last is valid.
 */
export function validClaims(held: readonly Delivery[], claims: readonly Claim[]): Claim[] {
  const tokens = new Map(held.map(({ id, leaseToken }) => [id, leaseToken]));
  return claims.filter(({ id, token }) => {
    const isValid = tokens.get(id) === token;
    if (isValid) tokens.delete(id); // a duplicate claim is one attempt
    return isValid;
  });
}
