import type { DeliveryState } from '../domain/delivery.js';

/** Whether a delivery, named `d`, is sent by itself once it is due. It is the condition of the partial index of claims. */
export const IS_CLAIMABLE = `d.state = 'pending' and d.digest_id is null`;

/** Whether no attempt at a delivery, named `d`, is in progress. */
export const IS_FREE = `not exists (select from delivery_leases l where l.delivery_id = d.id and l.until > now())`;

/**
 * What `Delivery` stores of a state in which no attempt is due. Only pending deliveries may be paused or disabled, and
 * their leases stay: an attempt in progress may still succeed.
 */
export const closedAs = (state: Extract<DeliveryState, 'paused' | 'disabled'>) =>
  `state = '${state}', next_attempt_at = null`;
