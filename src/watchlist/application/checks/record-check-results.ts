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
  readonly held: LeasedName;
  readonly look: LookupResult;
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
    private readonly observe: ApplyCheckResult,
    private readonly cadence: CheckSchedule,
    private readonly patience: FailureAlertPolicy,
    private readonly budgets: OperatorQuotaService,
    private readonly clock: Clock,
    private readonly recordings: ResultWriteLimiter,
  ) {}

  /** Nothing is written for a name whose lease has run out. */
  async run(looks: readonly CheckedName[], token: string): Promise<void> {
    const now = this.clock.now();
    const judged = looks.map((looked) => ({ looked, routine: this.routineOf(looked, now) }));
    const routine = judged.flatMap(({ routine: look }) => (look ? [look] : []));
    const overtaken = routine.length > 0 ? await this.recordings.run(() => this.routine.record(routine, token)) : NONE;
    const notable = judged.flatMap(({ looked, routine: look }) => (look ? [] : [looked]));
    await allOf([
      ...notable.map(({ held: { watched }, look }) =>
        this.recordings.run(() => this.observe.recordLeased(watched.name, look, { name: watched.domain, token })),
      ),
      ...looks
        .filter(({ held }) => overtaken.has(held.watched.domain))
        .map(({ held, look }) => this.recordings.run(() => this.observe.recordCheck(held.watched.name, look))),
    ]);
  }

  /** The look as it changes the name, or null when it concerns entries too, which the long way reads anew. */
  private routineOf({ held: { watched, isBoundaryPassed }, look }: CheckedName, now: Date): RoutineUpdate | null {
    const { revision, failing: former } = watched;
    watched.isRunBy(this.budgets.operatorOf(watched.name));
    const isNews = watched.observe(look, this.cadence, now) !== null;
    const isTold = [former, watched.failing].some((failing) => failing && this.patience.mayEnd(failing));
    const isTime = isBoundaryPassed && look.kind === 'observation';
    return isNews || isTold || isTime ? null : { watched, before: { revision } };
  }
}

/** Each fails alone; the first error is told when all have ended. */
async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first, ...others] = errors;
  if (first) throw others.length === 0 ? first : new AggregateError(errors);
}
