import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type BoundedCounter, Metrics } from '../../platform/metrics/metrics.js';
import type { RefusedAttempt } from '../domain/auth.errors.js';
import { Clock } from '../../kernel/clock.js';
import { ForeignKeyViolated, UnitOfWork } from '../../kernel/unit-of-work.js';
import { callerAddress } from './auth-failure-limiter.js';
import { AuditTrail } from '../audit/audit-trail.js';

/** How many reasons the metric counts separately. This is enough for every reason that exists. */
const MAX_REASONS = 10;
/** The maximum number of groups of equal refusals in memory. All further refusals are counted in one group. */
const MAX_GROUPS = 1_000;
/** The maximum number of audit records for one account in a minute. One more record sums up the rest. */
const MAX_RECORDS = 10;

interface Group extends RefusedAttempt {
  /** null if several addresses are counted together. */
  readonly address: string | null;
  readonly since: Date;
  count: number;
}

/** Records counts once a minute instead of each refusal, so that a flood of refusals adds few records. */
@Injectable()
export class RefusedAuthentications implements OnModuleDestroy {
  private readonly log = new Logger(RefusedAuthentications.name);
  private readonly refusals: BoundedCounter;
  private groups = new Map<string, Group>();

  constructor(
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const help = 'Requests with a credential that was refused, by why.';
    this.refusals = metrics.counter('namewatch_refused_credentials_total', help, { reason: MAX_REASONS });
  }

  add(attempt: RefusedAttempt, ip: string): void {
    this.refusals.increment(attempt.reason);
    const address = callerAddress(ip);
    const isKnown = this.groups.has(toKey(attempt, address));
    if (isKnown || this.groups.size < MAX_GROUPS) this.count(attempt, address);
    else this.count({ reason: 'various', accountId: null, keyId: null }, null);
  }

  /**
   * Records the counts, except the counts of deleted accounts. If the counts cannot be written, the next run tries
   * again.
   */
  async flush(): Promise<void> {
    const groups = [...this.groups.values()];
    this.groups = new Map();
    for (const ofAccount of Map.groupBy(groups, ({ accountId }) => accountId).values())
      try {
        await this.work.run(() => this.record(summarize(ofAccount)));
      } catch (error) {
        if (error instanceof ForeignKeyViolated) continue;
        for (const group of ofAccount) this.keep(group);
        this.log.warn(`could not record refused authentications: ${(error as Error).message}`);
      }
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  private count(attempt: RefusedAttempt, address: string | null): void {
    const group = this.groups.get(toKey(attempt, address));
    if (group) group.count += 1;
    else this.groups.set(toKey(attempt, address), { ...attempt, address, since: this.clock.now(), count: 1 });
  }

  private keep(group: Group): void {
    const key = toKey(group, group.address);
    const newer = this.groups.get(key);
    if (newer || this.groups.size < MAX_GROUPS)
      this.groups.set(key, { ...group, count: group.count + (newer?.count ?? 0) });
  }

  private async record(groups: readonly Group[]): Promise<void> {
    for (const { accountId, keyId, address, reason, count, since } of groups) {
      const origin = { ...this.audit.originOf('unknown'), address };
      const after = { reason, count, since: since.toISOString() };
      await this.audit.record({ action: 'authentication.refused', accountId, targetId: keyId, after }, origin);
    }
  }
}

/** Keeps the largest groups, and sums up the rest in one group. */
function summarize(groups: readonly Group[]): readonly Group[] {
  const sorted = groups.toSorted((one, other) => other.count - one.count);
  const [first, ...others] = sorted.slice(MAX_RECORDS);
  if (!first) return sorted;
  const count = others.reduce((sum, group) => sum + group.count, first.count);
  return [...sorted.slice(0, MAX_RECORDS), { ...first, address: null, keyId: null, reason: 'various', count }];
}

function toKey({ reason, accountId, keyId }: RefusedAttempt, address: string | null): string {
  return [address, reason, accountId, keyId].join(' ');
}
