import { Injectable } from '@nestjs/common';
import { OperatorQuotaService } from '../../../domains/index.js';
import { DomainName, unknownOperator } from '../../../domains/language.js';
import {
  type Reassignment,
  type OperatorAssignment,
  OperatorAssignmentRepository,
} from '../ports/operator-assignment-repository.js';

/**
 * Hands names over to whoever runs their registry by now: a TLD changed hands, or the settings say so. Until then they
 * would wait for the budget, the wishes and the breaker of an operator that is theirs no more.
 */
@Injectable()
export class ReassignOperators {
  constructor(
    private readonly names: OperatorAssignmentRepository,
    private readonly budgets: OperatorQuotaService,
  ) {}

  /** Harmless to repeat, by several processes at once too. */
  async run(): Promise<number> {
    const holdings = await this.names.holdings();
    await this.budgets.refreshServers(new Set(holdings.map(({ suffix }) => nameBelow(suffix).tld)));
    const handovers = holdings.flatMap((holding) => this.handoverOf(holding));
    return handovers.length === 0 ? 0 : this.names.handOver(handovers);
  }

  /** Where nobody is known to this process, a look finds out: the names stay whose they were. */
  private handoverOf({ operator, suffix }: OperatorAssignment): Reassignment[] {
    const name = nameBelow(suffix);
    const to = this.budgets.operatorOf(name);
    return to === operator || to === unknownOperator(name.tld) ? [] : [{ operator, suffix, to }];
  }
}

function nameBelow(suffix: string): DomainName {
  return DomainName.restore(`nic.${suffix}`);
}
