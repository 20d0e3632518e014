import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { LOOKUP_TIMEOUT_MS, RefreshDomain } from '../../domains/index.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { Tracer } from '../../kernel/tracing/tracer.js';
import { startWorkers } from '../../kernel/start-workers.js';
import { type LeaseBatch, type LeasedName, LeaseRepository } from './leases.repository.js';
import { URGENCIES } from '../domain/urgency.js';
import { ConfirmDelegation } from './confirm-delegation.js';
import { BackgroundThrottle } from './background-throttle.js';
import { OperatorBatches } from './operator-batches.js';
import { ResultBatcher } from './result-batcher.js';
import { FirstCheckTraces } from '../first-check-traces.repository.js';
import { LeasedBatch } from './leased-batch.js';
import { WorkerProgress } from './worker-progress.js';
import { type CheckedName, RecordCheckResults } from './record-check-results.js';

/** A lookup ends this long before its lease, so that its result can still be written. */
const LEASE_MARGIN_MS = SECOND;
/** Claims follow the budget, so a lookup waits for its turn only, not for tokens. */
const QUEUE_TIMEOUT_MS = 2 * SECOND;
/** Concurrent lookups of one batch; the operator's own limits apply on top. */
const LOOKUP_CONCURRENCY = 64;
/** Results are written in groups, so that the slowest lookup does not delay the others. */
const RESULT_BATCHES = { size: 200, waitMs: 200 };

/** Checks leased names: lookups outside of any transaction, then results in batches. */
@Injectable()
export class CheckDueNames {
  private readonly deadlineMs: number;
  private readonly queueTimeoutMs: number;
  /** After a renewal, lookups may start within this time. */
  private readonly startWindowMs: number;
  private readonly batches: OperatorBatches;

  constructor(
    private readonly refresh: RefreshDomain,
    private readonly record: RecordCheckResults,
    private readonly leases: LeaseRepository,
    private readonly progress: WorkerProgress,
    private readonly clock: Clock,
    private readonly throttle: BackgroundThrottle,
    private readonly delegation: ConfirmDelegation,
    private readonly tracer: Tracer,
    private readonly firstChecks: FirstCheckTraces,
    config: LeaseConfig,
  ) {
    this.batches = new OperatorBatches((batch) => leases.isAnyDropping(batch.names));
    const usableLeaseMs = config.leaseSeconds * SECOND - LEASE_MARGIN_MS;
    this.queueTimeoutMs = Math.min(QUEUE_TIMEOUT_MS, usableLeaseMs / 6);
    // A third of a short lease is left for starting lookups, or each would need its own renewal.
    this.deadlineMs = Math.min(LOOKUP_TIMEOUT_MS, usableLeaseMs / 2);
    this.startWindowMs = usableLeaseMs - this.deadlineMs - this.queueTimeoutMs;
  }

  /** Idempotent: the first run ends the leases. */
  run(batch: LeaseBatch): Promise<void> {
    return this.batches.run(batch, (nameEnded) => this.checkBatch(batch, nameEnded));
  }

  private async checkBatch(batch: LeaseBatch, nameEnded: () => void): Promise<void> {
    this.progress.batchStarted(batch);
    try {
      await this.checkAll(batch, nameEnded);
      this.progress.batchFinished(batch);
    } catch (error) {
      this.progress.batchFailed(batch);
      throw error;
    }
  }

  private async checkAll(batch: LeaseBatch, nameEnded: () => void): Promise<void> {
    const names = await this.leases.start(batch, this.clock.now());
    const parents = await this.firstChecks.take(names.map(({ watchedName }) => watchedName.domain));
    const held = new LeasedBatch(batch, this.leases, this.startWindowMs);
    const outcomes = new ResultBatcher<CheckedName>(RESULT_BATCHES, async (checked) => {
      await this.record.run(checked, batch.token);
      this.progress.resultsWritten();
    });
    const workers = startWorkers(LOOKUP_CONCURRENCY, names, async (name) => {
      if (name.watchedName.urgency !== URGENCIES.dropping) await this.throttle.waitForTurn();
      if (await held.claim(name.watchedName.domain)) outcomes.add(await this.checkOne(name, parents));
      nameEnded();
    });
    const ended = await Promise.allSettled(workers);
    await outcomes.close();
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  private checkOne(held: LeasedName, parents: ReadonlyMap<string, string>): Promise<CheckedName> {
    const { domain } = held.watchedName;
    const span = { name: 'check', kind: 'internal', attributes: { 'namewatch.domain': domain } } as const;
    return this.tracer.trace({ ...span, parent: parents.get(domain) ?? null }, async ({ traceparent }) => ({
      ...(await this.lookUp(held)),
      traceparent,
    }));
  }

  private async lookUp(held: LeasedName): Promise<CheckedName> {
    const priority = held.watchedName.urgency === URGENCIES.dropping ? 'drop_window' : 'routine';
    const { name, facts, pending } = held.watchedName;
    const startedAt = performance.now();
    const knownFacts = pending ? null : facts; // a candidate change needs every source
    const result = await this.refresh.run(
      name,
      this.deadlineMs,
      { priority, maxWaitMs: this.queueTimeoutMs },
      knownFacts,
    );
    // DNS gets what the lookup has left: a lookup with its wait for a turn ends before its lease.
    const remainingMs = this.deadlineMs - (performance.now() - startedAt);
    return { leased: held, result, parentZone: await this.delegation.run(held.watchedName, result, remainingMs) };
  }
}
