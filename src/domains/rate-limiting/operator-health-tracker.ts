import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { type OpenBreaker, trip, ConsecutiveFailures } from '../domain/lookup/circuit-breaker.js';
import type { RequestOutcome } from './registry-admission.js';
import { type HealthStore, type OperatorHealth, OperatorHealthRepository } from './operator-health.repository.js';

const HEALTHY: OperatorHealth = { blockedUntil: null, openBreaker: null };

/**
 * Knows which operators must not be asked, and until when: blocked by a Retry-After, or by an open circuit breaker.
 * The state is in the database, so that every process sees it within a second and a restart keeps it; while the
 * database is unavailable, this process's own knowledge counts.
 */
@Injectable()
export class OperatorHealthTracker implements OnModuleInit {
  private readonly log = new Logger(OperatorHealthTracker.name);
  private healthByOperator = new Map<string, OperatorHealth>();
  /**
   * When this process last changed or wrote an operator's health: a database read that started earlier may not
   * show it yet.
   */
  private readonly changedAt = new Map<string, number>();
  private readonly failures = new Map<string, ConsecutiveFailures>();
  private readonly writes: HealthWriteQueue;
  private refreshing: Promise<void> | null = null;

  constructor(
    @Inject(OperatorHealthRepository) private readonly repository: HealthStore,
    private readonly clock: Clock,
  ) {
    this.writes = new HealthWriteQueue(repository, (operator) => this.changedAt.set(operator, performance.now()));
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  get(operator: string): OperatorHealth {
    return this.healthByOperator.get(operator) ?? HEALTHY;
  }

  /** Returns the operators that are blocked or whose breaker is not closed, as far as this process knows. */
  unhealthy(): ReadonlyMap<string, OperatorHealth> {
    return this.healthByOperator;
  }

  /** Never rejects. One read at a time: an older one that ends later would restore outdated state. */
  refresh(): Promise<void> {
    this.refreshing ??= this.load().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  private async load(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.writes.flushAll();
      const loaded = await this.repository.findUnhealthy();
      for (const [operator, at] of this.changedAt) {
        const known = this.healthByOperator.get(operator);
        if (at < startedAt && !this.writes.hasPending(operator)) this.changedAt.delete(operator);
        else if (known) loaded.set(operator, known);
        else loaded.delete(operator);
      }
      this.healthByOperator = loaded;
    } catch (error) {
      this.log.warn(`operator health could not be read: ${(error as Error).message}`);
    }
  }

  /** Claims the single probe that a half-open breaker lets through, over all processes. */
  async claimProbe(operator: string): Promise<boolean> {
    try {
      return await this.repository.claimProbe(operator);
    } catch (error) {
      this.log.warn(
        `${operator}: probing without coordination, the database is unavailable: ${(error as Error).message}`,
      );
      return true;
    }
  }

  report(operator: string, outcome: RequestOutcome): void {
    switch (outcome.kind) {
      case 'ignored':
        return;
      case 'answered':
        return this.recordSuccess(operator);
      case 'failed':
        return this.recordFailure(operator, outcome.domain);
      case 'throttled':
        if (!outcome.retryAfterSeconds) return this.recordFailure(operator, outcome.domain);
        return this.recordBlock(operator, after(this.clock.now(), outcome.retryAfterSeconds * SECOND));
    }
  }

  private recordSuccess(operator: string): void {
    this.failures.delete(operator);
    const { openBreaker, blockedUntil } = this.get(operator);
    if (!openBreaker) return;
    this.setHealth(operator, { blockedUntil, openBreaker: null });
    this.log.log(`${operator}: circuit breaker closed`);
    this.writes.enqueue(operator, 'breaker', (repository) => repository.resetBreaker(operator));
  }

  private recordFailure(operator: string, domain: string): void {
    const failures = this.failures.get(operator) ?? new ConsecutiveFailures();
    this.failures.set(operator, failures);
    failures.add(domain);
    const { openBreaker, blockedUntil } = this.get(operator);
    const now = this.clock.now();
    // While the breaker is open, only late answers to earlier requests arrive; their failures are no news.
    if (openBreaker ? openBreaker.retryAt > now : !failures.shouldTrip) return;
    this.failures.delete(operator); // the next streak starts at zero
    const tripped: OpenBreaker = trip(openBreaker, now);
    this.setHealth(operator, { blockedUntil, openBreaker: tripped });
    this.log.warn(`${operator}: circuit breaker open until ${tripped.retryAt.toISOString()}`);
    this.writes.enqueue(operator, 'breaker', (repository) => repository.tripBreaker(operator, tripped));
  }

  private recordBlock(operator: string, until: Date): void {
    const { openBreaker, blockedUntil } = this.get(operator);
    const latest = blockedUntil && blockedUntil > until ? blockedUntil : until;
    this.setHealth(operator, { blockedUntil: latest, openBreaker });
    this.log.warn(`${operator}: blocked until ${latest.toISOString()} (Retry-After)`);
    this.writes.enqueue(operator, 'block', (repository) => repository.saveBlock(operator, latest));
  }

  private setHealth(operator: string, health: OperatorHealth): void {
    this.changedAt.set(operator, performance.now());
    this.healthByOperator.set(operator, health);
  }
}

/** Blocks and breakers are written separately, so that neither overwrites the other. */
export type HealthKind = 'block' | 'breaker';

interface PendingWrite {
  readonly operator: string;
  readonly write: () => Promise<void>;
}

/**
 * Health changes that are not in the database yet: the latest of each kind, written in order and retried while the
 * database is unavailable.
 */
export class HealthWriteQueue {
  private readonly log = new Logger(HealthWriteQueue.name);
  private readonly pending = new Map<string, PendingWrite>();
  private readonly flushing = new Set<string>();

  /** @param onWritten called when nothing is pending for the operator any more */
  constructor(
    private readonly repository: HealthStore,
    private readonly onWritten: (operator: string) => void,
  ) {}

  /** Never rejects and does not have to be awaited. */
  enqueue(operator: string, kind: HealthKind, write: (repository: HealthStore) => Promise<void>): void {
    const key = `${kind} ${operator}`;
    this.pending.set(key, { operator, write: () => write(this.repository) });
    void this.flush(key);
  }

  hasPending(operator: string): boolean {
    return (['block', 'breaker'] as const).some((kind) => this.pending.has(`${kind} ${operator}`));
  }

  /** Retries everything pending once. Never rejects. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.pending.keys()].map((key) => this.flush(key)));
  }

  private async flush(key: string): Promise<void> {
    if (this.flushing.has(key)) return;
    this.flushing.add(key);
    try {
      for (let next = this.pending.get(key); next; next = this.pending.get(key)) await this.writeOne(key, next);
    } catch (error) {
      this.log.warn(`health of ${key} not saved yet, retrying: ${(error as Error).message}`);
    } finally {
      this.flushing.delete(key);
    }
  }

  private async writeOne(key: string, pending: PendingWrite): Promise<void> {
    await pending.write();
    if (this.pending.get(key) !== pending) return; // superseded by a newer change
    this.pending.delete(key);
    if (!this.hasPending(pending.operator)) this.onWritten(pending.operator);
  }
}
