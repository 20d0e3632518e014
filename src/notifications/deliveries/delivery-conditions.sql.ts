import type { DeliveryState } from '../domain/delivery.js';

/** Sets the columns that change when a pending delivery is paused or disabled. */
export const closedAs = (state: Extract<DeliveryState, 'paused' | 'disabled'>) =>
  `state = '${state}', next_attempt_at = null`;
