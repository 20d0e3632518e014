import { SECOND } from '../../../kernel/clock.js';
import type { LookupPriority, OperatorBudget } from '../../domain/lookup/operator-budget.js';
import type { TokenBuckets } from './token-buckets.js';

/** Tokens that were not used by then are lost; longer where the next one is far; milliseconds. */
const HOLD_MS = SECOND;
const MAX_HOLD_MS = 10 * SECOND;

/**
 * The tokens of one operator that this process has in hand. They come from the shared store in blocks: one at first,
 * twice as many whenever the last block was used up within its second, a second's worth at most.
 */
export class LocalTokenPool {
  private tokens = 0;
  private heldUntil = 0;
  private lastBlock = 0;
  private readonly emptyUntil = { urgent: 0, routine: 0 };
  private filling = false;

  constructor(
    private readonly operator: string,
    private readonly budget: OperatorBudget,
    private readonly buckets: TokenBuckets,
  ) {}

  has(): boolean {
    return this.budget.perSecond === 0 || (this.tokens > 0 && performance.now() < this.heldUntil);
  }

  /** For how many of these the hand suffices; one at least, which may be paid for. */
  enoughFor(waiting: number): number {
    return this.budget.perSecond === 0 ? waiting : Math.max(1, Math.min(waiting, this.tokens));
  }

  spend(): void {
    if (this.budget.perSecond > 0) this.tokens -= 1;
  }

  /** Until when the store is known to have none for this lane, by the monotonic timer. */
  emptyUntilFor(lane: LookupPriority): number {
    return lane === 'routine' ? Math.max(this.emptyUntil.urgent, this.emptyUntil.routine) : this.emptyUntil.urgent;
  }

  /** @returns false when there was nothing to do: the store is being asked already, or is known to be empty. */
  async fill(lane: LookupPriority, waiting: number, now: number): Promise<boolean> {
    if (this.filling || now < this.emptyUntilFor(lane)) return false;
    this.filling = true;
    try {
      await this.take(this.blockFor(waiting), lane);
      return true;
    } finally {
      this.filling = false;
    }
  }

  /** Straight from the store, for somebody who will use them elsewhere. */
  async takeAway(tokens: number, lane: LookupPriority): Promise<number> {
    if (this.budget.perSecond === 0) return tokens;
    if (performance.now() < this.emptyUntilFor(lane)) return 0;
    const grant = await this.buckets.take(this.operator, this.budget, tokens, lane);
    this.noteWait(grant.wait, lane);
    return grant.tokens;
  }

  private async take(block: number, lane: LookupPriority): Promise<void> {
    const grant = await this.buckets.take(this.operator, this.budget, block, lane);
    this.noteWait(grant.wait, lane);
    if (grant.tokens === 0) return;
    this.tokens = grant.tokens;
    this.lastBlock = grant.tokens;
    this.heldUntil = performance.now() + Math.max(HOLD_MS, Math.min(SECOND / this.budget.perSecond, MAX_HOLD_MS));
  }

  private noteWait(wait: number, lane: LookupPriority): void {
    if (wait > 0) this.emptyUntil[lane === 'routine' ? 'routine' : 'urgent'] = performance.now() + wait;
  }

  private blockFor(waiting: number): number {
    const wasUsedUp = this.tokens === 0 && performance.now() < this.heldUntil;
    const wished = Math.max(waiting, wasUsedUp ? this.lastBlock * 2 : 1);
    return Math.min(wished, Math.max(1, Math.ceil(this.budget.perSecond)));
  }
}
