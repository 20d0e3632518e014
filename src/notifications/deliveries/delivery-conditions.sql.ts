import type { DeliveryState } from '../domain/delivery.js';

/** Sets the columns of a paused or disabled delivery. Use this for pending deliveries only. */
export const closedAs = (state: Extract<DeliveryState, 'paused' | 'disabled'>) =>
  `state = '${state}', next_attempt_at = null`;
