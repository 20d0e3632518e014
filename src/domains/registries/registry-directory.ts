import type { OperatorBudget } from '../../kernel/operator-budget.js';
import type { EvidenceSource } from '../domain/lookup/lookup-result.js';

export interface SupportedTld {
  readonly tld: string;
  readonly source: EvidenceSource;
  /** `host`, or `host:port` where the port is not the default. */
  readonly server: string;
  readonly operator: string;
}

/** The supported TLDs with their servers; one that several sources are asked about is listed for each. */
export abstract class RegistryDirectory {
  abstract tlds(): readonly SupportedTld[];
  /** null for the sandbox, which has none. */
  abstract budgetOf(operator: string): OperatorBudget | null;
}
