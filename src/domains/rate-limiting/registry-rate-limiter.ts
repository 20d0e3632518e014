import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { AdmissionRequest } from '../domain/operators/admission.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';
import { OperatorHealth } from './operator-health.js';
import { OperatorLine } from './operator-line.js';
import { OperatorResolver } from './operator-resolver.js';
import { OperatorRepository } from './operators.repository.js';
import { type Permit, RegistryAdmission, type Rejection } from './registry-admission.js';

/** Admits queries by the rate limits that all processes share through the database. */
@Injectable()
export class RegistryRateLimiter extends RegistryAdmission implements OnModuleDestroy {
  private readonly lines = new Map<string, OperatorLine>();

  constructor(
    private readonly operators: OperatorResolver,
    private readonly repository: OperatorRepository,
  ) {
    super();
  }

  acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection> {
    return this.lineOf(this.operators.resolve(server)).enter(request);
  }

  /** Returns the queries per second of each operator with a rate limit that this process has asked. */
  budgets(): ReadonlyMap<string, number> {
    const budgets = [...this.lines].map(([name, { budget }]) => [name, budget.perSecond] as const);
    return new Map(budgets.filter(([, perSecond]) => perSecond > 0));
  }

  waitingQueries(): number {
    return [...this.lines.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  onModuleDestroy(): void {
    for (const { health } of this.lines.values()) health.close();
  }

  private lineOf(operator: string): OperatorLine {
    let line = this.lines.get(operator);
    if (!line) {
      const budget = this.operators.budgetFor(operator);
      line = new OperatorLine(budget, new OperatorHealth(operator, budget, this.repository));
      this.lines.set(operator, line);
    }
    return line;
  }
}
