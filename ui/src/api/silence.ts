/** Longer than two pings of the service. A stream without a ping for this time is dead. */
export const SILENCE_MS = 40_000;
