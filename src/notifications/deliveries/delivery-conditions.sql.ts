import type { DeliveryState } from '../domain/delivery.js';

/**
 * The columns of a `Delivery` in a state in which no attempt is due. Only pending deliveries may be paused or disabled,
 * and an attempt in progress may still succeed.
 */
export const closedAs = (state: Extract<DeliveryState, 'paused' | 'disabled'>) =>
  `state = '${state}', next_attempt_at = null`;
