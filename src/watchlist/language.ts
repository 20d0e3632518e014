/** The words of this module that others may use in their own rules. */
export type { Intent, WatchlistEventData } from './domain/watch-events.js';
export type { Move } from './domain/move.js';
