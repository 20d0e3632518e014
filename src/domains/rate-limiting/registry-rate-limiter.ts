import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import type { AdmissionRequest, LookupPriority } from '../domain/lookup/admission.js';
import { breakerState } from '../domain/lookup/circuit-breaker.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';
import { OperatorResolver } from './operator-resolver.js';
import { OperatorHealthTracker } from './operator-health-tracker.js';
import { type RequestOutcome, type Permit, RegistryAdmission, type Rejection } from './registry-admission.js';
import { LocalSlotPool, DistributedSemaphore, type SlotStore } from './operator-slots.js';
import { OperatorTokenPool, TokenBuckets, type TokenStore } from './operator-tokens.js';
import { AdmissionQueue } from './admission-queue.js';

/** A caller retries after this time while another process probes a half-open breaker. */
const PROBE_RETRY_SECONDS = 10;

interface OperatorLimiter {
  readonly tokens: OperatorTokenPool;
  readonly queue: AdmissionQueue;
}

/** Admits requests by their operator's rate limit, concurrency limit, Retry-After and circuit breaker. */
@Injectable()
export class RegistryRateLimiter extends RegistryAdmission implements OnModuleDestroy {
  private readonly limiters = new Map<string, OperatorLimiter>();

  constructor(
    private readonly operatorResolver: OperatorResolver,
    private readonly health: OperatorHealthTracker,
    @Inject(TokenBuckets) private readonly buckets: TokenStore,
    @Inject(DistributedSemaphore) private readonly semaphore: SlotStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  async acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection> {
    const operator = this.operatorResolver.resolve(server);
    const early = this.findRejection(operator);
    if (early) return early;
    if (!request.isRedirect && this.isHalfOpen(operator) && !(await this.health.claimProbe(operator)))
      return rejection('breaker', PROBE_RETRY_SECONDS * SECOND);
    const permit = await this.limiterFor(operator).queue.acquire(request);
    if (permit.kind === 'rejected') return permit;
    const late = this.findRejection(operator);
    if (!late) return this.withHealthReport(operator, permit);
    permit.release({ kind: 'ignored' }); // nothing was sent; this only returns the slot
    return late;
  }

  /** Takes tokens from the shared store for requests that the caller sends itself. */
  async reserveTokens(operator: string, tokens: number, priority: LookupPriority): Promise<number> {
    if (this.findRejection(operator) || tokens <= 0) return 0;
    return this.limiterFor(operator).tokens.reserve(tokens, priority);
  }

  /** Returns how long the store has no token for routine checks, as far as this process knows. */
  msUntilRoutineToken(operator: string): number {
    const until = this.limiters.get(operator)?.tokens.emptyUntil('routine') ?? 0;
    return Math.max(0, until - performance.now());
  }

  /** Queries per second by operator, of those that this process asked and whose budget has a limit. */
  budgets(): ReadonlyMap<string, number> {
    const operators = [...this.limiters.keys()];
    const budgets = operators.map((name) => [name, this.operatorResolver.budgetFor(name).perSecond] as const);
    return new Map(budgets.filter(([, perSecond]) => perSecond > 0));
  }

  /** Counts those of this process, at all operators. */
  waitingQueries(): number {
    return [...this.limiters.values()].reduce((sum, { queue }) => sum + queue.waitingCount, 0);
  }

  onModuleDestroy(): void {
    for (const { queue } of this.limiters.values()) queue.shutDown();
  }

  private findRejection(operator: string): Rejection | null {
    const { blockedUntil, openBreaker } = this.health.get(operator);
    const now = this.clock.now();
    if (blockedUntil && blockedUntil > now) return rejection('block', blockedUntil.getTime() - now.getTime());
    if (openBreaker && openBreaker.retryAt > now)
      return rejection('breaker', openBreaker.retryAt.getTime() - now.getTime());
    return null;
  }

  private isHalfOpen(operator: string): boolean {
    return breakerState(this.health.get(operator).openBreaker, this.clock.now()) === 'half_open';
  }

  private withHealthReport(operator: string, permit: Permit): Permit {
    const release = (outcome: RequestOutcome) => {
      this.health.report(operator, outcome);
      const currentRejection = ['failed', 'throttled'].includes(outcome.kind) ? this.findRejection(operator) : null;
      if (currentRejection) this.limiterFor(operator).queue.rejectAll(currentRejection);
      permit.release(outcome);
    };
    return { kind: 'permit', release };
  }

  private limiterFor(operator: string): OperatorLimiter {
    const known = this.limiters.get(operator);
    if (known) return known;
    const budget = this.operatorResolver.budgetFor(operator);
    const tokens = new OperatorTokenPool(operator, budget, this.buckets);
    const limiter = {
      tokens,
      queue: new AdmissionQueue(tokens, new LocalSlotPool(operator, budget.concurrency, this.semaphore)),
    };
    this.limiters.set(operator, limiter);
    return limiter;
  }
}

function rejection(reason: Rejection['reason'], milliseconds: number): Rejection {
  return { kind: 'rejected', reason, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / SECOND)) };
}
