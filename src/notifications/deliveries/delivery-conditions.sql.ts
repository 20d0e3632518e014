import type { DeliveryState } from '../domain/delivery.js';

/**
 * Sets the columns of a paused or disabled delivery, which has no next attempt. Use it for pending deliveries only. An
 * attempt in progress may still succeed.
 */
export const closedAs = (state: Extract<DeliveryState, 'paused' | 'disabled'>) =>
  `state = '${state}', next_attempt_at = null`;
