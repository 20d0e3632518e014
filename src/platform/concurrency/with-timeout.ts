/**
 * What was asked for, if it comes in time. The work itself goes on: nobody waits for it any longer.
 * @throws what the work throws, or that it took too long.
 */
export async function withTimeout<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
