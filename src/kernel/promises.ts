/**
 * Waits at most `timeoutMs` for the work, then returns the fallback, or throws without a fallback. The work goes on.
 */
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
