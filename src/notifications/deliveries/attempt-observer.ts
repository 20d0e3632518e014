import type { Attempt } from '../domain/deliveries/attempt.js';
import type { AttemptContext } from './attempt-context.js';

/** Learns of every attempt that ended. */
export abstract class AttemptObserver {
  /** @param endedAt by the clock that dates events */
  abstract observe(context: AttemptContext, attempt: Attempt, endedAt: Date): void;
}
