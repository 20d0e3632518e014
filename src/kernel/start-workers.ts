/**
 * Starts workers that take the items one after the other; a worker ends with its first error.
 * @returns the workers, at most `concurrency`: the caller decides whether one failure is enough
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
