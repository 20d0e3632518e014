import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 20;

/**
 * Asks until the answer is neither false, null nor undefined.
 * @returns that answer
 * @throws Error with the last answer or failure when the time is over
 */
export async function until<Value>(
  condition: () => Promise<Value> | Value,
  { timeoutMs = 20_000 }: { readonly timeoutMs?: number } = {},
): Promise<Exclude<Value, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<Value, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${condition.toString()}`);
    await pause(INTERVAL_MS);
  }
}
