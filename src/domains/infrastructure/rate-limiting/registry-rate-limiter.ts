import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../../../kernel/clock.js';
import type { AdmissionRequest, LookupPriority } from '../../domain/lookup/operator-budget.js';
import { breakerState } from '../../domain/lookup/circuit-breaker.js';
import { type ServerAddress, OperatorResolver } from './operator-resolver.js';
import { OperatorHealthTracker } from './operator-health-tracker.js';
import { type RequestOutcome, type Permit, RegistryAdmission, type Rejection } from './registry-admission.js';
import { LocalSlotPool } from './local-slot-pool.js';
import { DistributedSemaphore } from './distributed-semaphore.js';
import { TokenBuckets } from './token-buckets.js';
import { LocalTokenPool } from './local-token-pool.js';
import { AdmissionQueue } from './admission-queue.js';

/** When to see whether the one question was answered that a broken operator is let through. */
const PROBE_RETRY_SECONDS = 10;

interface OperatorLimiter {
  readonly tokens: LocalTokenPool;
  readonly turnstile: AdmissionQueue;
}

/** Lets questions through as their operators' budgets, wishes and health allow. */
@Injectable()
export class RegistryRateLimiter extends RegistryAdmission implements OnModuleDestroy {
  private readonly desks = new Map<string, OperatorLimiter>();

  constructor(
    private readonly operators: OperatorResolver,
    private readonly standings: OperatorHealthTracker,
    private readonly buckets: TokenBuckets,
    private readonly slots: DistributedSemaphore,
    private readonly clock: Clock,
  ) {
    super();
  }

  async enter(server: ServerAddress, asking: AdmissionRequest): Promise<Permit | Rejection> {
    const operator = this.operators.of(server);
    const refusal = this.refusalOf(operator);
    if (refusal) return refusal;
    if (!asking.isRedirect && this.isHalfOpen(operator) && !(await this.standings.mayProbe(operator)))
      return rejection('breaker', PROBE_RETRY_SECONDS * SECOND);
    const pass = await this.deskOf(operator).turnstile.enter(asking);
    if (pass.kind === 'withheld') return pass;
    const late = this.refusalOf(operator);
    if (!late) return this.reporting(operator, pass);
    pass.leave({ kind: 'untold' }); // it was not asked; only the slot is given back
    return late;
  }

  /** Tokens for somebody who will use them elsewhere. */
  async take(operator: string, tokens: number, lane: LookupPriority): Promise<number> {
    if (this.refusalOf(operator) || tokens <= 0) return 0;
    return this.deskOf(operator).tokens.takeAway(tokens, lane);
  }

  /** Milliseconds until the store may have a token for routine, as far as this process knows. */
  emptyFor(operator: string): number {
    const until = this.desks.get(operator)?.tokens.emptyUntilFor('routine') ?? 0;
    return Math.max(0, until - performance.now());
  }

  onModuleDestroy(): void {
    for (const { turnstile } of this.desks.values()) turnstile.retire();
  }

  private refusalOf(operator: string): Rejection | null {
    const { blockedUntil, breakage } = this.standings.of(operator);
    const now = this.clock.now();
    if (blockedUntil && blockedUntil > now) return rejection('block', blockedUntil.getTime() - now.getTime());
    if (breakage && breakage.retryAt > now) return rejection('breaker', breakage.retryAt.getTime() - now.getTime());
    return null;
  }

  private isHalfOpen(operator: string): boolean {
    return breakerState(this.standings.of(operator).breakage, this.clock.now()) === 'half_open';
  }

  private reporting(operator: string, pass: Permit): Permit {
    const leave = (ending: RequestOutcome) => {
      this.standings.report(operator, ending);
      const refusal = ['failed', 'throttled'].includes(ending.kind) ? this.refusalOf(operator) : null;
      if (refusal) this.deskOf(operator).turnstile.close(refusal);
      pass.leave(ending);
    };
    return { kind: 'pass', leave };
  }

  private deskOf(operator: string): OperatorLimiter {
    const known = this.desks.get(operator);
    if (known) return known;
    const budget = this.operators.budgetOf(operator);
    const tokens = new LocalTokenPool(operator, budget, this.buckets);
    const desk = {
      tokens,
      turnstile: new AdmissionQueue(tokens, new LocalSlotPool(operator, budget.concurrency, this.slots)),
    };
    this.desks.set(operator, desk);
    return desk;
  }
}

function rejection(reason: Rejection['reason'], milliseconds: number): Rejection {
  return { kind: 'withheld', reason, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / SECOND)) };
}
