import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds, or a promise that ends the outage. */
export type OutageDuration = number | Promise<unknown>;

export async function waitForEnd(of: OutageDuration): Promise<void> {
  await (typeof of === 'number' ? pause(of) : of);
}
