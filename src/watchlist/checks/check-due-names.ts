import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { DomainLookup, LOOKUP_TIMEOUT_MS, ZoneWitness } from '../../domains/index.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { currentTraceparent, inSpan } from '../../platform/tracing/spans.js';
import { withTimeout } from '../../kernel/promises.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { type LeaseBatch, type LeasedName, LeaseRepository } from './leases.repository.js';
import { URGENCIES } from '../domain/check-schedule.js';
import { ApplyCheckResult } from './apply-check-result.js';
import { BackgroundThrottle } from './background-throttle.js';
import { type CheckedName, RecordCheckResults } from './record-check-results.js';
import { confirmInParentZone, DomainName, getRecordValue, type LookupResult } from '../../domains/language.js';
import { findKindsForParentZone, type ParentZoneReport, type ParentZoneReports } from '../domain/record-rules.js';
import type { WatchedName } from '../domain/watched-name.js';

/** A DNS query needs at least this time. If less is left, the parent zone is not asked. */
const MIN_TIMEOUT_MS = 500;

/** Asks the parent zone whether name servers or DS records changed, after a second lookup has shown the same change. */
@Injectable()
export class ConfirmDelegation {
  constructor(private readonly zones: ZoneWitness) {}

  /** If DNS checks are turned off, or if the zone is private, counts the changes as confirmed without asking. */
  async run(watched: WatchedName, result: LookupResult, timeoutMs: number): Promise<ParentZoneReports> {
    if (result.kind === 'failure' || !result.record || timeoutMs < MIN_TIMEOUT_MS) return {};
    const { record, observedAt } = result;
    const kinds = findKindsForParentZone(watched.recordState, record, observedAt);
    if (kinds.length === 0) return {};
    const answer = result.isPrivateZone ? null : await this.zones.read(watched.name, timeoutMs);
    const reports = kinds.map((kind): [string, ParentZoneReport] => {
      const value = getRecordValue(record, kind);
      if (!answer) return [kind, { verdict: 'confirmed', evidence: [] }];
      const verdict = value === null ? 'inconclusive' : confirmInParentZone(kind, value, answer);
      return [kind, { verdict, evidence: answer.evidence }];
    });
    return Object.fromEntries(reports);
  }
}

/** A lookup ends this long before the lease (time-limited lock) ends, so that its result can still be written. */
const LEASE_MARGIN_MS = SECOND;
/** The longest wait for the rate limit. It is short, because only names that the limit soon allows get leases. */
const QUEUE_TIMEOUT_MS = 2 * SECOND;
/** Results are written in small groups, so that a slow lookup does not delay the results of faster lookups. */
const RESULT_BATCHES = { windowMs: 50, concurrency: 4 };

/** Checks leased (locked) names. Lookups run outside of any transaction, and their results are written in groups. */
@Injectable()
export class CheckDueNames {
  private readonly deadlineMs: number;
  private readonly queueTimeoutMs: number;
  /** A lookup must start within this time after the lease began, so that it ends before the lease does. */
  private readonly startWindowMs: number;

  constructor(
    private readonly lookup: DomainLookup,
    private readonly record: RecordCheckResults,
    private readonly leases: LeaseRepository,
    private readonly applyResult: ApplyCheckResult,
    private readonly clock: Clock,
    private readonly throttle: BackgroundThrottle,
    private readonly delegation: ConfirmDelegation,
    config: LeaseConfig,
  ) {
    const usableLeaseMs = config.leaseSeconds * SECOND - LEASE_MARGIN_MS;
    this.queueTimeoutMs = Math.min(QUEUE_TIMEOUT_MS, usableLeaseMs / 6);
    // A short lease is split: half for the lookup, a sixth for waiting on the rate limit, a third for starting lookups.
    this.deadlineMs = Math.min(LOOKUP_TIMEOUT_MS, usableLeaseMs / 2);
    this.startWindowMs = usableLeaseMs - this.deadlineMs - this.queueTimeoutMs;
  }

  /** The queue may repeat a finished batch. The repetition finds no leases, because the first run has ended them. */
  run(batch: LeaseBatch): Promise<void> {
    return this.throttle.runBatch(() => this.check(batch));
  }

  private async check(batch: LeaseBatch): Promise<void> {
    // The time is taken before `start`, because the leases begin while the statement of `start` runs.
    const startUntil = performance.now() + this.startWindowMs;
    const names = await this.leases.start(batch, this.clock.now());
    await this.endUnstarted(batch, names);
    const results = new Batcher<CheckedName, void>(async (checked) => {
      await this.record.run(checked, batch.token);
      return checked.map(() => undefined);
    }, RESULT_BATCHES);
    const checks = names.map(async (name) => {
      if (name.watchedName.urgency !== URGENCIES.dropping) await this.throttle.waitForTurn();
      // A lookup that starts this late would outlive its lease. The name is checked again later.
      if (performance.now() > startUntil) return;
      await results.submit(await this.checkOne(name));
    });
    for (const one of await Promise.allSettled(checks)) if (one.status === 'rejected') throw one.reason;
  }

  /** Ends the leases of names whose check did not start, usually because nobody watches them any more. */
  private async endUnstarted({ names, token }: LeaseBatch, started: readonly LeasedName[]): Promise<void> {
    const begun = new Set(started.map(({ watchedName }) => watchedName.domain));
    for (const name of names)
      if (!begun.has(name)) await this.applyResult.rest(DomainName.restore(name), { name, token });
  }

  /** @throws Error if the lookup overruns its deadline; the name is checked again when its lease has expired */
  private checkOne(held: LeasedName): Promise<CheckedName> {
    const { domain } = held.watchedName;
    const options = { traceparent: held.traceparent, attributes: { 'namewatch.domain': domain } };
    return inSpan('check', options, async () => ({
      ...(await withTimeout(this.deadlineMs + this.queueTimeoutMs, this.lookUp(held))),
      traceparent: currentTraceparent(),
    }));
  }

  private async lookUp(held: LeasedName): Promise<CheckedName> {
    const priority = held.watchedName.urgency === URGENCIES.dropping ? 'drop_window' : 'routine';
    const { name, facts, absentSince } = held.watchedName;
    const startedAt = performance.now();
    const admission = { priority, maxWaitMs: this.queueTimeoutMs } as const;
    const result = await this.lookup.forWatch(name, { timeoutMs: this.deadlineMs, admission, absentSince }, facts);
    // The DNS query gets the time that the lookup left over, so that both end before the lease.
    const remainingMs = this.deadlineMs - (performance.now() - startedAt);
    return { leased: held, result, parentZone: await this.delegation.run(held.watchedName, result, remainingMs) };
  }
}
