import { Injectable } from '@nestjs/common';
import { OperatorQuotaService } from '../../../domains/index.js';
import type { LookupResult } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import { FailureAlertPolicy } from '../../domain/policies/failure-alert-policy.js';
import type { LeasedName } from '../ports/lease-repository.js';
import { type RoutineUpdate, RoutineUpdateRepository } from '../ports/routine-update-repository.js';
import { ApplyCheckResult } from './apply-check-result.js';
import { ResultWriteLimiter } from './result-write-limiter.js';

/** A look at a name that is held. */
export interface CheckedName {
  readonly leased: LeasedName;
  readonly result: LookupResult;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Writes down what a batch of looks told. What concerns the name alone, which is nearly everything, takes one statement
 * for all; what concerns its entries takes a transaction for each name, so that each fails alone.
 */
@Injectable()
export class RecordCheckResults {
  constructor(
    private readonly routine: RoutineUpdateRepository,
    private readonly applyResult: ApplyCheckResult,
    private readonly schedule: CheckSchedule,
    private readonly alertPolicy: FailureAlertPolicy,
    private readonly budgets: OperatorQuotaService,
    private readonly clock: Clock,
    private readonly writes: ResultWriteLimiter,
  ) {}

  /** Nothing is written for a name whose lease has run out. */
  async run(checked: readonly CheckedName[], token: string): Promise<void> {
    const now = this.clock.now();
    const judged = checked.map((looked) => ({ looked, routine: this.toRoutineUpdate(looked, now) }));
    const routine = judged.flatMap(({ routine: look }) => (look ? [look] : []));
    const changedMeanwhile =
      routine.length > 0 ? await this.writes.run(() => this.routine.saveAll(routine, token)) : NONE;
    const notable = judged.flatMap(({ looked, routine: look }) => (look ? [] : [looked]));
    await settleAll([
      ...notable.map(({ leased: { watchedName: watched }, result: look }) =>
        this.writes.run(() => this.applyResult.applyLeased(watched.name, look, { name: watched.domain, token })),
      ),
      ...checked
        .filter(({ leased: held }) => changedMeanwhile.has(held.watchedName.domain))
        .map(({ leased: held, result: look }) =>
          this.writes.run(() => this.applyResult.applyUnleased(held.watchedName.name, look)),
        ),
    ]);
  }

  /** The look as it changes the name, or null when it concerns entries too, which the long way reads anew. */
  private toRoutineUpdate(
    { leased: { watchedName: watched, isBoundaryPassed }, result: look }: CheckedName,
    now: Date,
  ): RoutineUpdate | null {
    const { revision, failureStreak: former } = watched;
    watched.assignOperator(this.budgets.operatorOf(watched.name));
    const hasNewFacts = watched.applyResult(look, this.schedule, now) !== null;
    const mayAlert = [former, watched.failureStreak].some((failing) => failing && this.alertPolicy.mayAlert(failing));
    const isBoundaryDue = isBoundaryPassed && look.kind === 'observation';
    return hasNewFacts || mayAlert || isBoundaryDue ? null : { watchedName: watched, expected: { revision } };
  }
}

/** Each fails alone; the first error is told when all have ended. */
async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first, ...others] = errors;
  if (first) throw others.length === 0 ? first : new AggregateError(errors);
}
