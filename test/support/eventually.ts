/** Polls until the value satisfies: for states that another process or a periodic task brings about. */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  timeoutMs = 60_000,
): Promise<Value> {
  const began = performance.now();
  for (;;) {
    const value = await ask();
    if (satisfies(value)) return value;
    if (performance.now() - began > timeoutMs)
      throw new Error(`not so within ${timeoutMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(performance.now() - began)));
  }
}

/** A longer wait is for real work: asking costs the same processors. */
const pauseAfter = (milliseconds: number) => (milliseconds < 500 ? 20 : 50);
