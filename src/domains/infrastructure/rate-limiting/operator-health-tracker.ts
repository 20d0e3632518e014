import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { after, Clock, SECOND } from '../../../kernel/clock.js';
import { type OpenBreaker, trip, ConsecutiveFailures } from '../../domain/lookup/circuit-breaker.js';
import type { RequestOutcome } from './registry-admission.js';
import { type OperatorHealth, PostgresOperatorHealthRepository } from './postgres-operator-health-repository.js';
import { HealthWriteQueue } from './health-write-queue.js';

const HEALTHY: OperatorHealth = { blockedUntil: null, openBreaker: null };

/**
 * Which operators are left alone, and until when: they said so, or failed too often. Kept in the database, so that every
 * process knows within a second and a restart forgets nothing; while the database is away, what this process knows holds.
 */
@Injectable()
export class OperatorHealthTracker implements OnModuleInit {
  private readonly log = new Logger(OperatorHealthTracker.name);
  private healthByOperator = new Map<string, OperatorHealth>();
  /** When this process learned something, or had it written, that a reading of the database may not show yet. */
  private readonly changedAt = new Map<string, number>();
  private readonly failures = new Map<string, ConsecutiveFailures>();
  private readonly writes: HealthWriteQueue;
  private refreshing: Promise<void> | null = null;

  constructor(
    private readonly repository: PostgresOperatorHealthRepository,
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

  /** Never rejects. One reading at a time: an earlier one that ends later would bring back what is over. */
  @Interval(SECOND)
  refresh(): Promise<void> {
    this.refreshing ??= this.load().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  private async load(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.writes.flushAll();
      const load = await this.repository.findUnhealthy();
      for (const [operator, at] of this.changedAt) {
        const known = this.healthByOperator.get(operator);
        if (at < startedAt && !this.writes.hasPending(operator)) this.changedAt.delete(operator);
        else if (known) load.set(operator, known);
        else load.delete(operator);
      }
      this.healthByOperator = load;
    } catch (error) {
      this.log.warn(`what is known of the operators could not be read: ${(error as Error).message}`);
    }
  }

  /** Whether the one question that a broken operator is let through is this process's to ask. */
  async claimProbe(operator: string): Promise<boolean> {
    try {
      return await this.repository.claimProbe(operator);
    } catch (error) {
      this.log.warn(`${operator} is probed without knowing of other processes: ${(error as Error).message}`);
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
    this.log.log(`${operator} answers again`);
    this.writes.enqueue(operator, 'breaker', (repository) => repository.resetBreaker(operator));
  }

  private recordFailure(operator: string, domain: string): void {
    const failures = this.failures.get(operator) ?? new ConsecutiveFailures();
    this.failures.set(operator, failures);
    failures.add(domain);
    const { openBreaker, blockedUntil } = this.get(operator);
    const now = this.clock.now();
    // While it is open only the probe is under way, and stragglers, whose failures are no news.
    if (openBreaker ? openBreaker.retryAt > now : !failures.shouldTrip) return;
    this.failures.delete(operator); // once it answers again they are no failures in a row
    const breaks: OpenBreaker = trip(openBreaker, now);
    this.setHealth(operator, { blockedUntil, openBreaker: breaks });
    this.log.warn(`${operator} fails again and again, it is left alone until ${breaks.retryAt.toISOString()}`);
    this.writes.enqueue(operator, 'breaker', (repository) => repository.tripBreaker(operator, breaks));
  }

  private recordBlock(operator: string, until: Date): void {
    const { openBreaker, blockedUntil } = this.get(operator);
    const latest = blockedUntil && blockedUntil > until ? blockedUntil : until;
    this.setHealth(operator, { blockedUntil: latest, openBreaker });
    this.log.warn(`${operator} wants to be left alone until ${latest.toISOString()}`);
    this.writes.enqueue(operator, 'block', (repository) => repository.saveBlock(operator, latest));
  }

  private setHealth(operator: string, health: OperatorHealth): void {
    this.changedAt.set(operator, performance.now());
    this.healthByOperator.set(operator, health);
  }
}
