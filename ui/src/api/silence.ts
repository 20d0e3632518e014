/** Longer than two pings of the service, which a living stream sends however little happens. */
export const SILENCE_MS = 40_000;
