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
    const sorted = checked.map((one) => ({ one, update: this.toRoutineUpdate(one, now) }));
    const updates = sorted.flatMap(({ update }) => (update ? [update] : []));
    const changedMeanwhile =
      updates.length > 0 ? await this.writes.run(() => this.routine.saveAll(updates, token)) : NONE;
    const transactional = sorted.flatMap(({ one, update }) => (update ? [] : [one]));
    const overtaken = checked.filter(({ leased }) => changedMeanwhile.has(leased.watchedName.domain));
    await settleAll([
      ...transactional.map(({ leased: { watchedName }, result }) =>
        this.writes.run(() =>
          this.applyResult.applyLeased(watchedName.name, result, { name: watchedName.domain, token }),
        ),
      ),
      ...overtaken.map(({ leased, result }) =>
        this.writes.run(() => this.applyResult.applyUnleased(leased.watchedName.name, result)),
      ),
    ]);
  }

  /** The look as it changes the name, or null when it concerns entries too, which the long way reads anew. */
  private toRoutineUpdate({ leased, result }: CheckedName, now: Date): RoutineUpdate | null {
    const { watchedName, isBoundaryPassed } = leased;
    const { revision, failureStreak: previousStreak } = watchedName;
    watchedName.assignOperator(this.budgets.operatorOf(watchedName.name));
    const hasNewFacts = watchedName.applyResult(result, this.schedule, now) !== null;
    const streaks = [previousStreak, watchedName.failureStreak];
    const mayAlert = streaks.some((streak) => streak && this.alertPolicy.mayAlert(streak));
    const isBoundaryDue = isBoundaryPassed && result.kind === 'observation';
    return hasNewFacts || mayAlert || isBoundaryDue ? null : { watchedName, expected: { revision } };
  }
}

/** Each fails alone; the first error is told when all have ended. */
async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first, ...others] = errors;
  if (first) throw others.length === 0 ? first : new AggregateError(errors);
}
