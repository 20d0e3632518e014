import { Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { OperatorRateLimits } from '../../domains/index.js';
import type { LookupResult } from '../../domains/language.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { continueTrace } from '../../platform/tracing/spans.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { FailureAlertPolicy } from '../domain/failure-alert-policy.js';
import type { ParentZoneReports } from '../domain/record-rules.js';
import type { LeasedName } from './leases.repository.js';
import { type RoutineUpdate, RoutineUpdateRepository } from './routine-updates.repository.js';
import { ApplyCheckResult } from './apply-check-result.js';
import { LeaseConfig } from '../../config/sections.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';

/** How many transactions of one batch may run at once. More would only wait for database connections. */
const MAX_CONCURRENT_WRITES = 8;
const RETRY_DELAY_MS = SECOND / 4;

export interface CheckedName {
  readonly leased: LeasedName;
  readonly result: LookupResult;
  /** The parent zone's answers about changed name servers or DS records. */
  readonly parentZone?: ParentZoneReports;
  /** The trace of the check. Events that the check causes continue this trace. */
  readonly traceparent?: string | null;
}

/** One statement writes all routine results, which cause no events. Every other result gets its own transaction. */
@Injectable()
export class RecordCheckResults {
  private readonly retryForMs: number;

  constructor(
    private readonly routine: RoutineUpdateRepository,
    private readonly applyResult: ApplyCheckResult,
    private readonly schedule: CheckSchedule,
    private readonly alertPolicy: FailureAlertPolicy,
    private readonly rateLimits: OperatorRateLimits,
    private readonly clock: Clock,
    { leaseSeconds }: LeaseConfig,
  ) {
    this.retryForMs = (leaseSeconds * SECOND) / 2;
  }

  /** Writes the results of a batch, except for names whose lease has expired. */
  async run(checked: readonly CheckedName[], token: string): Promise<void> {
    const now = this.clock.now();
    const retryUntil = performance.now() + this.retryForMs;
    const sorted = checked.map((one) => ({ one, update: this.applyToCopy(one, now) }));
    const updates = sorted.flatMap(({ update }) => (update ? [update] : []));
    const changedMeanwhile =
      updates.length > 0
        ? await retryWhileUnavailable(retryUntil, () => this.routine.saveAll(updates, token))
        : new Set<string>();
    const single = sorted.filter(({ one, update }) => !update || changedMeanwhile.has(one.leased.watchedName.domain));
    const errors: unknown[] = [];
    await new PQueue({ concurrency: MAX_CONCURRENT_WRITES }).addAll(
      single.map(({ one, update }) => async () => {
        const write = (): Promise<unknown> => (update ? this.applyOvertaken(one) : this.applyLeased(one, token));
        await retryWhileUnavailable(retryUntil, write).catch((error: unknown) => errors.push(error));
      }),
    );
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
  }

  /** Continues the trace of the name's check, because one batch has checks of several traces. */
  private applyLeased({ leased, result, parentZone, traceparent = null }: CheckedName, token: string) {
    const { name, domain } = leased.watchedName;
    return continueTrace(traceparent, () =>
      this.applyResult.applyLeased(name, result, { name: domain, token }, parentZone),
    );
  }

  /** Applies a result whose name changed meanwhile. The statement for the whole batch has already ended the lease. */
  private applyOvertaken({ leased, result, traceparent = null }: CheckedName) {
    return continueTrace(traceparent, () => this.applyResult.applyUnleased(leased.watchedName.name, result));
  }

  /**
   * Applies the result to the name in memory only. Returns null if entries may change as well, which needs a
   * transaction.
   */
  private applyToCopy({ leased, result, parentZone = {} }: CheckedName, now: Date): RoutineUpdate | null {
    const { watchedName, isBoundaryPassed } = leased;
    const { failureStreak: previousStreak, revision: readRevision, lastCheckedAt: previousAnswer } = watchedName;
    watchedName.assignOperator(this.rateLimits.operatorOf(watchedName.name));
    const hasNewRecord = watchedName.applyRecord(result, parentZone, this.schedule, now).length > 0;
    const hasNewFacts = watchedName.applyResult(result, this.schedule, now) !== null;
    const streaks = [previousStreak, watchedName.failureStreak];
    const mayAlert = streaks.some((streak) => streak && this.alertPolicy.mayAlert(streak));
    const isBoundaryDue = isBoundaryPassed && result.kind === 'observation';
    if (hasNewFacts || hasNewRecord || mayAlert || isBoundaryDue) return null;
    const hasTurned = !previousStreak !== !watchedName.failureStreak || !previousAnswer !== !watchedName.lastCheckedAt;
    return { watchedName, readRevision, isShownAnew: hasTurned || isBoundaryPassed };
  }
}

/**
 * Repeats `write`, which must be safe to repeat, while the database is unavailable.
 * @param until the end of the retries, in `performance.now()` time
 */
export async function retryWhileUnavailable<Result>(until: number, write: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
}
