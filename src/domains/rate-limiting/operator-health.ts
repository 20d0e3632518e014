import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../kernel/clock.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { ConsecutiveFailures } from '../domain/operators.js';
import type { AskedQuery, OperatorAnswer, OperatorRepository } from './operators.repository.js';
import type { RequestOutcome } from './registry-admission.js';

/** For an operator without a rate limit, the database is asked at most once in this time. */
const HEALTHY_MS = SECOND;
const HEALTHY: OperatorAnswer = { answer: 'permit', waitMs: 0, isProbe: false };

/** Reads in the database whether an operator may be queried. Reports failures, blocks and answers to the database. */
export class OperatorHealth {
  private readonly log = new Logger(OperatorHealth.name);
  private failures = new ConsecutiveFailures();
  /**
   * A time of `performance.now()`, like `healthyUntil`. This process respects a block even while the database is
   * unavailable.
   */
  private blockedUntil = -Infinity;
  private healthyUntil = -Infinity;
  private mayBeOpen = false;

  constructor(
    private readonly operator: string,
    private readonly budget: OperatorBudget,
    private readonly repository: OperatorRepository,
  ) {}

  async ask(query: AskedQuery): Promise<OperatorAnswer> {
    const blockedMs = this.blockedUntil - performance.now();
    if (blockedMs > 0) return { answer: 'block', waitMs: blockedMs, isProbe: false };
    if (performance.now() < this.healthyUntil) return HEALTHY;
    const answer = await this.repository.ask(this.operator, this.budget, query);
    const isHealthy = answer.answer === 'permit' && !answer.isProbe;
    this.mayBeOpen ||= answer.isProbe || answer.answer === 'breaker';
    if (isHealthy && this.budget.perSecond === 0) this.healthyUntil = performance.now() + HEALTHY_MS;
    return answer;
  }

  report(outcome: RequestOutcome, isProbe: boolean): void {
    if (outcome.kind === 'answered') this.recordAnswer();
    else if (outcome.kind === 'failed' || (outcome.kind === 'throttled' && !outcome.retryAfterSeconds))
      this.recordFailure(outcome.domain, isProbe);
    else if (outcome.kind === 'throttled') this.recordBlock((outcome.retryAfterSeconds ?? 0) * SECOND);
  }

  close(): void {
    this.blockedUntil = -Infinity;
  }

  private recordAnswer(): void {
    this.failures = new ConsecutiveFailures();
    if (!this.mayBeOpen) return;
    this.mayBeOpen = false;
    this.write('its circuit breaker was not closed', async () => {
      if (await this.repository.close(this.operator)) this.log.log(`${this.operator}: circuit breaker closed`);
    });
  }

  /** Opens the breaker after repeated failures, or after one failure of a probe. */
  private recordFailure(domain: string, isProbe: boolean): void {
    this.failures.add(domain);
    if (!isProbe && !this.failures.shouldTrip) return;
    this.failures = new ConsecutiveFailures(); // counts further failures from zero
    this.healthyUntil = -Infinity;
    this.mayBeOpen = true;
    this.write('its circuit breaker was not opened', async () => {
      const until = await this.repository.trip(this.operator);
      if (until) this.log.warn(`${this.operator}: circuit breaker open until ${until.toISOString()}`);
    });
  }

  private recordBlock(ms: number): void {
    const until = performance.now() + ms;
    if (until <= this.blockedUntil) return;
    this.blockedUntil = until;
    this.log.warn(`${this.operator}: blocked for ${Math.ceil(ms / SECOND)} s (Retry-After)`);
    void this.keepBlock(until);
  }

  /** Stores a block for all processes. Tries again while the database is unavailable. */
  private async keepBlock(until: number): Promise<void> {
    for (; this.blockedUntil === until && until > performance.now(); await sleep(SECOND, undefined, { ref: false }))
      try {
        return await this.repository.block(this.operator, until - performance.now());
      } catch (error) {
        this.log.warn(`${this.operator}: its block is not stored yet: ${(error as Error).message}`);
      }
  }

  private write(failed: string, work: () => Promise<void>): void {
    work().catch((error: Error) => this.log.warn(`${this.operator}: ${failed}: ${error.message}`));
  }
}
