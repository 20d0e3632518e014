import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import { DomainName, unknownOperator } from '../../domains/language.js';
import { type Reassignment, type OperatorAssignment, OperatorRepository } from './operators.repository.js';

/**
 * Reassigns names after a TLD changed its registry operator, or the operator settings changed. Until then they would
 * wait for the budget, blocks and circuit breaker of the former operator.
 */
@Injectable()
export class ReassignOperators {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly budgets: OperatorRateLimits,
  ) {}

  /** Idempotent and safe in several processes. */
  async run(): Promise<number> {
    const assignments = await this.operators.findAssignments();
    await this.budgets.refreshServers(new Set(assignments.map(({ suffix }) => sampleName(suffix).tld)));
    const reassignments = assignments.flatMap((assignment) => this.findReassignment(assignment));
    return reassignments.length === 0 ? 0 : this.operators.reassign(reassignments);
  }

  /** An operator unknown to this process is found by a lookup; its names stay assigned. */
  private findReassignment({ operator, suffix }: OperatorAssignment): Reassignment[] {
    const name = sampleName(suffix);
    const to = this.budgets.operatorOf(name);
    return to === operator || to === unknownOperator(name.tld) ? [] : [{ operator, suffix, to }];
  }
}

function sampleName(suffix: string): DomainName {
  return DomainName.restore(`nic.${suffix}`);
}
