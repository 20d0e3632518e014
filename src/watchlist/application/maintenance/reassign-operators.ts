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
    const assignments = await this.names.findAll();
    await this.budgets.refreshServers(new Set(assignments.map(({ suffix }) => sampleName(suffix).tld)));
    const reassignments = assignments.flatMap((assignment) => this.findReassignment(assignment));
    return reassignments.length === 0 ? 0 : this.names.reassign(reassignments);
  }

  /** Where nobody is known to this process, a look finds out: the names stay whose they were. */
  private findReassignment({ operator, suffix }: OperatorAssignment): Reassignment[] {
    const name = sampleName(suffix);
    const to = this.budgets.operatorOf(name);
    return to === operator || to === unknownOperator(name.tld) ? [] : [{ operator, suffix, to }];
  }
}

function sampleName(suffix: string): DomainName {
  return DomainName.restore(`nic.${suffix}`);
}
