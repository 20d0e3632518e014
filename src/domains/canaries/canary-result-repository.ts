import type { CanaryResult } from '../domain/lookup/canary-result.js';

/** The recent canary results of all processes. */
export abstract class CanaryResultRepository {
  abstract save(result: CanaryResult): Promise<void>;
  /** Oldest first. */
  abstract findSince(tld: string, from: Date): Promise<readonly CanaryResult[]>;
  /** The latest result of a TLD; null without any. */
  abstract findLast(tld: string): Promise<CanaryResult | null>;
  /** The TLDs whose latest result is a failure. */
  abstract findFailing(): Promise<readonly string[]>;
  /** The latest result of each of these TLDs that has one. */
  abstract findLatest(tlds: readonly string[]): Promise<readonly CanaryResult[]>;
}
