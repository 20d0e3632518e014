import type { OperatorBudget } from './budget.js';

/** A TLD that can be asked about, and whom. */
export interface CoveredTld {
  readonly tld: string;
  readonly source: 'rdap' | 'whois' | 'sandbox';
  /** `host`, or `host:port` where the port is not the usual one. */
  readonly server: string;
  readonly operator: string;
}

/** Which TLDs can be asked about, as a port. */
export abstract class RegistryCoverage {
  abstract tlds(): readonly CoveredTld[];
  /** null for the sandbox, which has none. */
  abstract budgetOf(operator: string): OperatorBudget | null;
}
