import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import type { LookupResult } from '../../domains/language.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { NO_TRACER, Tracer } from '../../kernel/tracing/tracer.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { FailureAlertPolicy } from '../domain/failure-alert-policy.js';
import type { ParentZoneReports } from '../domain/record-rules.js';
import type { LeasedName } from './leases.repository.js';
import { type RoutineUpdate, RoutineUpdateRepository } from './routine-updates.repository.js';
import { ApplyCheckResult } from './apply-check-result.js';
import { WorkerConfig } from '../../config/sections.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';

/** Concurrent transactions: more would only wait for connections. */
const MAX_CONCURRENT_WRITES = 8;
const RETRY_DELAY_MS = SECOND / 4;

/**
 * Limits concurrent writes of results, and retries them for half a lease while the database is unavailable: otherwise
 * the registry would be queried again after the lease.
 */
@Injectable()
export class ResultWriteLimiter {
  private readonly concurrency: number;
  private readonly retryForMs: number;
  private inFlight = 0;
  private readonly waiting: (() => void)[] = [];

  constructor({ databasePool, leaseSeconds }: WorkerConfig) {
    this.concurrency = Math.min(MAX_CONCURRENT_WRITES, databasePool);
    this.retryForMs = (leaseSeconds * SECOND) / 2;
  }

  /** @param write idempotent: it ends a lease, and writes nothing without one */
  async run<Result>(write: () => Promise<Result>): Promise<Result> {
    const retryUntil = performance.now() + this.retryForMs;
    if (this.inFlight >= this.concurrency) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inFlight += 1;
    try {
      return await this.retryUntilStored(write, retryUntil);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.inFlight -= 1;
    }
  }

  private async retryUntilStored<Result>(write: () => Promise<Result>, retryUntil: number): Promise<Result> {
    for (;;)
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > retryUntil) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
  }
}

/** A leased name and its lookup result. */
export interface CheckedName {
  readonly leased: LeasedName;
  readonly result: LookupResult;
  /** What the parent zone says about a change of delegation, where it was asked. */
  readonly parentZone?: ParentZoneReports;
  /** Of the check's span, for what its changes cause; null while nothing is traced. */
  readonly traceparent?: string | null;
}

/**
 * Writes the results of a batch. Most change only the row of their name: one statement writes them all. A result that
 * concerns entries takes a transaction of its own, so that each fails alone.
 */
@Injectable()
export class RecordCheckResults {
  constructor(
    private readonly routine: RoutineUpdateRepository,
    private readonly applyResult: ApplyCheckResult,
    private readonly schedule: CheckSchedule,
    private readonly alertPolicy: FailureAlertPolicy,
    private readonly budgets: OperatorRateLimits,
    private readonly clock: Clock,
    private readonly writes: ResultWriteLimiter,
    private readonly tracer: Tracer = NO_TRACER,
  ) {}

  /** Nothing is written for a name whose lease has expired. */
  async run(checked: readonly CheckedName[], token: string): Promise<void> {
    const now = this.clock.now();
    const sorted = checked.map((one) => ({ one, update: this.applyToCopy(one, now) }));
    const updates = sorted.flatMap(({ update }) => (update ? [update] : []));
    const changedMeanwhile =
      updates.length > 0 ? await this.writes.run(() => this.routine.saveAll(updates, token)) : new Set<string>();
    const transactional = sorted.flatMap(({ one, update }) => (update ? [] : [one]));
    const overtaken = checked.filter(({ leased }) => changedMeanwhile.has(leased.watchedName.domain));
    await settleAll([
      ...transactional.map(({ leased: { watchedName }, result, parentZone, traceparent = null }) =>
        this.resume(traceparent, () =>
          this.applyResult.applyLeased(watchedName.name, result, { name: watchedName.domain, token }, parentZone),
        ),
      ),
      ...overtaken.map(({ leased, result, traceparent = null }) =>
        this.resume(traceparent, () => this.applyResult.applyUnleased(leased.watchedName.name, result)),
      ),
    ]);
  }

  /** As part of the trace of its check: results of many are written together. */
  private resume<Result>(traceparent: string | null, write: () => Promise<Result>): Promise<Result> {
    return this.writes.run(() => this.tracer.resume(traceparent, write));
  }

  /**
   * Changes the copy that was read with the lease: nothing else holds it, and only the aggregate knows what a result
   * changes, so its own rule also selects the path.
   * @returns the changed copy, to be written if its revision is still the expected one; null: the copy is discarded, and
   *   the transactional path applies the same result to the locked name
   */
  private applyToCopy({ leased, result, parentZone = {} }: CheckedName, now: Date): RoutineUpdate | null {
    const { watchedName, isBoundaryPassed } = leased;
    const { failureStreak: previousStreak } = watchedName;
    const { revision: readRevision } = watchedName;
    watchedName.assignOperator(this.budgets.operatorOf(watchedName.name));
    const hasNewRecord = watchedName.applyRecord(result, parentZone, this.schedule, now).length > 0;
    const hasNewFacts = watchedName.applyResult(result, this.schedule, now) !== null;
    const streaks = [previousStreak, watchedName.failureStreak];
    const mayAlert = streaks.some((streak) => streak && this.alertPolicy.mayAlert(streak));
    const isBoundaryDue = isBoundaryPassed && result.kind === 'observation';
    return hasNewFacts || hasNewRecord || mayAlert || isBoundaryDue ? null : { watchedName, readRevision };
  }
}

/** Waits for all; then throws the first error, or all of them. */
async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first, ...others] = errors;
  if (first) throw others.length === 0 ? first : new AggregateError(errors);
}
