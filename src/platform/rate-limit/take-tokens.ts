import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

export interface TokenGrant {
  /** From 0 to the number requested. */
  readonly tokens: number;
  /** How many more are available. */
  readonly remaining: number;
  /** Until the next token, or until the window ends. */
  readonly waitMs: number;
}

/**
 * Takes up to `tokens` from a limiter. rate-limiter-flexible rejects all when only part is available; its count shows
 * how large that part was.
 */
export async function takeTokens(
  limiter: RateLimiterAbstract,
  key: string,
  tokens: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<TokenGrant> {
  const { consumedPoints, msBeforeNext } = await consume(limiter, key, tokens, options);
  const free = Math.max(0, limiter.points - (consumedPoints - tokens));
  const granted = Math.min(free, tokens);
  return { tokens: granted, remaining: free - granted, waitMs: msBeforeNext };
}

async function consume(
  limiter: RateLimiterAbstract,
  key: string,
  tokens: number,
  options: Readonly<Record<string, unknown>>,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, tokens, { ...options });
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}
