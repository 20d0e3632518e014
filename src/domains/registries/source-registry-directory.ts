import { Injectable } from '@nestjs/common';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { SANDBOX_OPERATOR } from '../domain/lookup/operator-budget.js';
import { type SupportedTld, RegistryDirectory } from './registry-directory.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { LookupSources } from '../sources/lookup-sources.js';

/** Lists what the lookup sources serve, each TLD with its current server. */
@Injectable()
export class SourceRegistryDirectory extends RegistryDirectory {
  constructor(
    private readonly sources: LookupSources,
    private readonly operatorResolver: OperatorResolver,
  ) {
    super();
  }

  tlds(): SupportedTld[] {
    return this.sources.findServedTlds().map(({ tld, source, server }) => {
      const isSandbox = server.operator === SANDBOX_OPERATOR;
      const operator = isSandbox ? SANDBOX_OPERATOR : this.operatorResolver.resolve(server);
      return { tld, source: source.name, server: server.label, operator };
    });
  }

  budgetOf(operator: string): OperatorBudget | null {
    return operator === SANDBOX_OPERATOR ? null : this.operatorResolver.budgetFor(operator);
  }
}
