import type { DelegationResult } from '../../domain/lookup/dns-veto.js';
import type { DomainName } from '../../domain/name/domain-name.js';

/** Asks the parent zone whether it delegates a name. Expected failures are `inconclusive`; it throws on bugs only. */
export abstract class DelegationChecker {
  /**
   * @param timeoutMs milliseconds
   * @returns null when this installation has no such witness
   */
  abstract check(name: DomainName, timeoutMs: number): Promise<DelegationResult | null>;
}
