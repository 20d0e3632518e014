/** Resolves with the fallback after `timeoutMs`, or rejects without a fallback. The work itself goes on. */
export async function withTimeout<Value>(
  timeoutMs: number,
  work: Promise<Value>,
  fallback?: () => Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Value>((resolve, reject) => {
    timer = setTimeout(() => {
      if (fallback) resolve(fallback());
      else reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Starts up to `concurrency` workers. Each worker takes the next free item, and stops at its first error.
 * @returns a promise for each worker, so that the caller decides whether one error ends the whole work
 */
export function startWorkers<Item>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void>[] {
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) await work(item);
  };
  return Array.from({ length: Math.min(concurrency, items.length) }, worker);
}
