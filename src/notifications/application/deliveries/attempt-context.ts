import type { Attempt } from '../../domain/deliveries/attempt.js';
import type { ChannelSender } from '../../domain/channels/channel-sender.js';
import type { Claim, Delivery } from '../../domain/deliveries/delivery.js';
import type { NotificationChannel } from '../../domain/channels/notification-channel.js';
import type { NotificationEvent } from '../../domain/events/notification-event.js';

/** An attempt that is written down and about to be made. */
export interface AttemptContext {
  /** By the token of this attempt; the claim that led to it is spent. */
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  /** As it was when the attempt began. */
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
  readonly sender: ChannelSender;
  /** Milliseconds on the process's own clock; the lease began no earlier. */
  readonly leasedAt: number;
}

/** By what names them. */
export function indexBy<Key, Entity>(entities: readonly Entity[], getKey: (entity: Entity) => Key): Map<Key, Entity> {
  return new Map(entities.map((entity) => [getKey(entity), entity]));
}

/**
 * Those of the claims by whose tokens these deliveries are held, each once. Claims pile up while nobody works on them,
 * and then come in one batch: only the last one of a delivery counts.
 */
export function validClaims(held: readonly Delivery[], claims: readonly Claim[]): Claim[] {
  const tokens = new Map(held.map(({ id, leaseToken }) => [id, leaseToken]));
  return claims.filter(({ id, token }) => {
    const isValid = tokens.get(id) === token;
    if (isValid) tokens.delete(id); // the same claim, told twice, is one attempt
    return isValid;
  });
}
