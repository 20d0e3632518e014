/** What the store that all processes share gave of an account's minute. */
export interface RateLimitGrant {
  readonly tokens: number;
  /** How many more there are. */
  readonly remaining: number;
  /** Milliseconds until the minute is over and all are there again. */
  readonly resetMs: number;
}

/** How an account stands with its limit, after a request. */
export interface RateLimitStatus {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until there are as many again as the limit allows. */
  readonly resetSeconds: number;
}

/** Where processes share what accounts, and others, may do in a minute. */
export abstract class RateLimitStore {
  /** Never rejects: without the store a share of this process's own is given. */
  abstract take(key: string, limit: number, tokens: number): Promise<RateLimitGrant>;
  /** Forgets minutes that are over. */
  abstract purgeExpired(): Promise<void>;
}
