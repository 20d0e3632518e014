import type { OperatorBudget } from '../../domain/lookup/operator-budget.js';

/** A TLD that can be asked about, and whom. */
export interface SupportedTld {
  readonly tld: string;
  readonly source: 'rdap' | 'whois' | 'sandbox';
  /** `host`, or `host:port` where the port is not the usual one. */
  readonly server: string;
  readonly operator: string;
}

/** Which TLDs can be asked about, as a port. */
export abstract class RegistryDirectory {
  abstract tlds(): readonly SupportedTld[];
  /** null for the sandbox, which has none. */
  abstract budgetOf(operator: string): OperatorBudget | null;
}
