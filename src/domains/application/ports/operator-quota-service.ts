import type { AvailableQuota, LookupPriority, OperatorStatus } from '../../domain/lookup/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';

/** What each registry operator may be asked, as a port; one budget each, shared by all processes. */
export abstract class OperatorQuotaService {
  /** Who runs the server that speaks for a name, as far as this process knows without asking anybody. */
  abstract operatorOf(name: DomainName): string;

  /** Takes over what other processes found out about who speaks for these TLDs: one that never looks knows nothing new. */
  abstract refreshServers(tlds: ReadonlySet<string>): Promise<void>;

  /** Whether it is being asked, as far as this process knows. */
  abstract status(operator: string): OperatorStatus;

  /** How many questions a second it is granted in the long run; Infinity where no rate limits them. */
  abstract ratePerSecond(operator: string): number;

  /**
   * How many questions each of these operators will be granted within the next seconds, as far as this process knows:
   * no statement is made, and what another process learned may be a second old.
   */
  abstract availableQuota(operators: readonly string[], seconds: number): ReadonlyMap<string, AvailableQuota>;

  /**
   * Takes tokens for questions that will be asked at once, each with `prepaid`. They are lost when they are not used.
   * @returns how many were granted, 0 to `tokens`.
   */
  abstract reserveTokens(operator: string, tokens: number, priority: LookupPriority): Promise<number>;
}
