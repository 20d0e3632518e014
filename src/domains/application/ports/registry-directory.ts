import type { OperatorBudget } from '../../../kernel/operator-budget.js';

export interface SupportedTld {
  readonly tld: string;
  readonly source: 'rdap' | 'whois' | 'sandbox';
  /** `host`, or `host:port` where the port is not the default. */
  readonly server: string;
  readonly operator: string;
}

/** The supported TLDs with their servers. */
export abstract class RegistryDirectory {
  abstract tlds(): readonly SupportedTld[];
  /** null for the sandbox, which has none. */
  abstract budgetOf(operator: string): OperatorBudget | null;
}
