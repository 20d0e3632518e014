/** Polls until the value satisfies: for states that another process or a periodic task brings about. */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  timeoutMs = 20_000,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (satisfies(value)) return value;
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
