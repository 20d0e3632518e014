import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { after, Clock, SECOND } from '../../../kernel/clock.js';
import { type OpenBreaker, trip, ConsecutiveFailures } from '../../domain/lookup/circuit-breaker.js';
import type { RequestOutcome } from './registry-admission.js';
import { type OperatorHealth, PostgresOperatorHealthRepository } from './postgres-operator-health-repository.js';
import { HealthWriteQueue } from './health-write-queue.js';

const HEALTHY: OperatorHealth = { blockedUntil: null, breakage: null };

/**
 * Which operators are left alone, and until when: they said so, or failed too often. Kept in the database, so that every
 * process knows within a second and a restart forgets nothing; while the database is away, what this process knows holds.
 */
@Injectable()
export class OperatorHealthTracker implements OnModuleInit {
  private readonly log = new Logger(OperatorHealthTracker.name);
  private standings = new Map<string, OperatorHealth>();
  /** When this process learned something, or had it written, that a reading of the database may not show yet. */
  private readonly learnedAt = new Map<string, number>();
  private readonly failures = new Map<string, ConsecutiveFailures>();
  private readonly writes: HealthWriteQueue;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly statements: PostgresOperatorHealthRepository,
    private readonly clock: Clock,
  ) {
    this.writes = new HealthWriteQueue(statements, (operator) => this.learnedAt.set(operator, performance.now()));
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  of(operator: string): OperatorHealth {
    return this.standings.get(operator) ?? HEALTHY;
  }

  /** Never rejects. One reading at a time: an earlier one that ends later would bring back what is over. */
  @Interval(SECOND)
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<void> {
    const asked = performance.now();
    try {
      await this.writes.payAll();
      const read = await this.statements.read();
      for (const [operator, at] of this.learnedAt) {
        const learned = this.standings.get(operator);
        if (at < asked && !this.writes.areOwed(operator)) this.learnedAt.delete(operator);
        else if (learned) read.set(operator, learned);
        else read.delete(operator);
      }
      this.standings = read;
    } catch (error) {
      this.log.warn(`what is known of the operators could not be read: ${(error as Error).message}`);
    }
  }

  /** Whether the one question that a broken operator is let through is this process's to ask. */
  async mayProbe(operator: string): Promise<boolean> {
    try {
      return await this.statements.claimProbe(operator);
    } catch (error) {
      this.log.warn(`${operator} is probed without knowing of other processes: ${(error as Error).message}`);
      return true;
    }
  }

  report(operator: string, ending: RequestOutcome): void {
    switch (ending.kind) {
      case 'untold':
        return;
      case 'answered':
        return this.answered(operator);
      case 'failed':
        return this.failed(operator, ending.about);
      case 'throttled':
        if (!ending.retryAfterSeconds) return this.failed(operator, ending.about);
        return this.block(operator, after(this.clock.now(), ending.retryAfterSeconds * SECOND));
    }
  }

  private answered(operator: string): void {
    this.failures.delete(operator);
    const { breakage, blockedUntil } = this.of(operator);
    if (!breakage) return;
    this.learn(operator, { blockedUntil, breakage: null });
    this.log.log(`${operator} answers again`);
    this.writes.owe(operator, 'breaker', (statements) => statements.mend(operator));
  }

  private failed(operator: string, name: string): void {
    const failures = this.failures.get(operator) ?? new ConsecutiveFailures();
    this.failures.set(operator, failures);
    failures.add(name);
    const { breakage, blockedUntil } = this.of(operator);
    const now = this.clock.now();
    // While it is open only the probe is under way, and stragglers, whose failures are no news.
    if (breakage ? breakage.retryAt > now : !failures.shouldTrip) return;
    this.failures.delete(operator); // once it answers again they are no failures in a row
    const breaks: OpenBreaker = trip(breakage, now);
    this.learn(operator, { blockedUntil, breakage: breaks });
    this.log.warn(`${operator} fails again and again, it is left alone until ${breaks.retryAt.toISOString()}`);
    this.writes.owe(operator, 'breaker', (statements) => statements.break(operator, breaks));
  }

  private block(operator: string, until: Date): void {
    const { breakage, blockedUntil } = this.of(operator);
    const longest = blockedUntil && blockedUntil > until ? blockedUntil : until;
    this.learn(operator, { blockedUntil: longest, breakage });
    this.log.warn(`${operator} wants to be left alone until ${longest.toISOString()}`);
    this.writes.owe(operator, 'block', (statements) => statements.block(operator, longest));
  }

  private learn(operator: string, standing: OperatorHealth): void {
    this.learnedAt.set(operator, performance.now());
    this.standings.set(operator, standing);
  }
}
