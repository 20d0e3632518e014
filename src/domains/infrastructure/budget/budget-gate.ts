import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../../../kernel/clock.js';
import type { Asking, Lane } from '../../domain/budget.js';
import { breakerState } from '../../domain/circuit-breaker.js';
import { type AskedServer, RegistryOperators } from '../registry-operators.js';
import { OperatorStandings } from './operator-standings.js';
import { type Ending, type Pass, RegistryGate, type Withheld } from './registry-gate.js';
import { SlotHand } from './slot-hand.js';
import { Slots } from './slots.js';
import { TokenBuckets } from './token-buckets.js';
import { TokenHand } from './token-hand.js';
import { Turnstile } from './turnstile.js';

/** When to see whether the one question was answered that a broken operator is let through. */
const PROBE_SECONDS = 10;

interface Desk {
  readonly tokens: TokenHand;
  readonly turnstile: Turnstile;
}

/** Lets questions through as their operators' budgets, wishes and health allow. */
@Injectable()
export class BudgetGate extends RegistryGate implements OnModuleDestroy {
  private readonly desks = new Map<string, Desk>();

  constructor(
    private readonly operators: RegistryOperators,
    private readonly standings: OperatorStandings,
    private readonly buckets: TokenBuckets,
    private readonly slots: Slots,
    private readonly clock: Clock,
  ) {
    super();
  }

  async enter(server: AskedServer, asking: Asking): Promise<Pass | Withheld> {
    const operator = this.operators.of(server);
    const refusal = this.refusalOf(operator);
    if (refusal) return refusal;
    if (!asking.isOnward && this.isHalfOpen(operator) && !(await this.standings.mayProbe(operator)))
      return withheld('breaker', PROBE_SECONDS * SECOND);
    const pass = await this.deskOf(operator).turnstile.enter(asking);
    if (pass.kind === 'withheld') return pass;
    const late = this.refusalOf(operator);
    if (!late) return this.reporting(operator, pass);
    pass.leave({ kind: 'untold' }); // it was not asked; only the slot is given back
    return late;
  }

  /** Tokens for somebody who will use them elsewhere. */
  async take(operator: string, tokens: number, lane: Lane): Promise<number> {
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

  private refusalOf(operator: string): Withheld | null {
    const { blockedUntil, breakage } = this.standings.of(operator);
    const now = this.clock.now();
    if (blockedUntil && blockedUntil > now) return withheld('block', blockedUntil.getTime() - now.getTime());
    if (breakage && breakage.retryAt > now) return withheld('breaker', breakage.retryAt.getTime() - now.getTime());
    return null;
  }

  private isHalfOpen(operator: string): boolean {
    return breakerState(this.standings.of(operator).breakage, this.clock.now()) === 'half_open';
  }

  private reporting(operator: string, pass: Pass): Pass {
    const leave = (ending: Ending) => {
      this.standings.report(operator, ending);
      const refusal = ['failed', 'throttled'].includes(ending.kind) ? this.refusalOf(operator) : null;
      if (refusal) this.deskOf(operator).turnstile.close(refusal);
      pass.leave(ending);
    };
    return { kind: 'pass', leave };
  }

  private deskOf(operator: string): Desk {
    const known = this.desks.get(operator);
    if (known) return known;
    const budget = this.operators.budgetOf(operator);
    const tokens = new TokenHand(operator, budget, this.buckets);
    const desk = { tokens, turnstile: new Turnstile(tokens, new SlotHand(operator, budget.concurrency, this.slots)) };
    this.desks.set(operator, desk);
    return desk;
  }
}

function withheld(reason: Withheld['reason'], milliseconds: number): Withheld {
  return { kind: 'withheld', reason, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / SECOND)) };
}
