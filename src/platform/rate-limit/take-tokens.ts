import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** What a limiter gave. */
export interface TokenGrant {
  /** 0 to as many as were asked for. */
  readonly tokens: number;
  /** How many more it would have given. */
  readonly remaining: number;
  /** Milliseconds, as the limiter tells them: until the next token, or until its window ends. */
  readonly waitMs: number;
}

/**
 * Takes tokens from a limiter of rate-limiter-flexible. The library refuses the whole when a part is there; what it
 * counted before tells how large that part was.
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
