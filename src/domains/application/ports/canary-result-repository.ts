import type { CanaryResult } from '../../domain/lookup/canary-result.js';

/** What canaries told lately, in all processes, as a port. */
export abstract class CanaryResultRepository {
  abstract save(result: CanaryResult): Promise<void>;
  /** Oldest first. */
  abstract findSince(tld: string, from: Date): Promise<readonly CanaryResult[]>;
  /** The last verdict of each of these TLDs that has one. */
  abstract findLatest(tlds: readonly string[]): Promise<readonly CanaryResult[]>;
}
