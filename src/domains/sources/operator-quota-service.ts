import type { AvailableQuota, LookupPriority, OperatorStatus } from '../domain/lookup/operator-budget.js';
import type { DomainName } from '../domain/name/domain-name.js';

/** The budgets of the registry operators, each shared by all processes. */
export abstract class OperatorQuotaService {
  /** The operator of the name's registry, from what this process knows; sends no query. */
  abstract operatorOf(name: DomainName): string;

  /** Loads the servers of these TLDs that other processes discovered; needed where no lookups are made. */
  abstract refreshServers(tlds: ReadonlySet<string>): Promise<void>;

  /** As far as this process knows. */
  abstract status(operator: string): OperatorStatus;

  /** The long-term rate; Infinity without a rate limit. */
  abstract ratePerSecond(operator: string): number;

  /** The quota of the next seconds, from memory: runs no statement, and changes by others arrive within a second. */
  abstract availableQuota(operators: readonly string[], seconds: number): ReadonlyMap<string, AvailableQuota>;

  /**
   * Takes tokens for lookups that are sent at once with `hasReservedToken`. Unused tokens are lost.
   * @returns how many were granted, 0 to `tokens`
   */
  abstract reserveTokens(operator: string, tokens: number, priority: LookupPriority): Promise<number>;
}
