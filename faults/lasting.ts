import { setTimeout as pause } from 'node:timers/promises';

/** For how long something goes wrong: so many milliseconds, or until whoever looks on has seen enough. */
export type Lasting = number | Promise<unknown>;

export async function end(of: Lasting): Promise<void> {
  await (typeof of === 'number' ? pause(of) : of);
}
