/** Asks until the answer satisfies, for states that another process or a tick brings about. */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  patience = 20_000,
): Promise<Value> {
  const deadline = performance.now() + patience;
  for (;;) {
    const value = await ask();
    if (satisfies(value)) return value;
    if (performance.now() > deadline) throw new Error(`not so within ${patience} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
