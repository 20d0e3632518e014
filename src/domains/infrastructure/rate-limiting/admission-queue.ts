import { SECOND } from '../../../kernel/clock.js';
import type { AdmissionRequest } from '../../domain/lookup/operator-budget.js';
import type { Permit, Rejection } from './registry-admission.js';
import type { Slot, LocalSlotPool } from './local-slot-pool.js';
import type { LocalTokenPool } from './local-token-pool.js';
import { type QueuedRequest, PriorityQueue } from './priority-queue.js';

const DEFAULT_WAIT_TIMEOUT_MS = 3 * SECOND;
/** What the store takes to answer is no waiting for a turn. */
const MIN_WAIT_TIMEOUT_MS = SECOND / 2;

/**
 * Where this process's questions to one operator wait for a token and a slot. Tokens are got from the store only when a
 * slot might be had, and slots only with a token in hand, so that neither lies about.
 */
export class AdmissionQueue {
  private readonly waiting = new PriorityQueue();
  private timer: NodeJS.Timeout | undefined;
  private wakesAt = Infinity;

  constructor(
    private readonly tokens: LocalTokenPool,
    private readonly slots: LocalSlotPool,
  ) {}

  enter({
    priority: lane,
    maxWaitMs: patience = DEFAULT_WAIT_TIMEOUT_MS,
    hasReservedToken: prepaid = false,
  }: AdmissionRequest): Promise<Permit | Rejection> {
    const slot = this.waiting.size === 0 && (prepaid || this.tokens.has()) ? this.slots.occupy() : null;
    if (slot) return Promise.resolve(this.admitted(slot, prepaid));
    const givesUpAt = performance.now() + Math.max(patience, MIN_WAIT_TIMEOUT_MS);
    return new Promise((settle) => {
      this.waiting.add({ lane, prepaid, givesUpAt, settle });
      this.turn();
    });
  }

  retire(): void {
    this.slots.retire();
  }

  /** The operator is to be left alone. */
  close(reason: Rejection): void {
    this.waiting.removeImpatient(Infinity).forEach((waiter) => waiter.settle(reason));
  }

  /** One instant for all of it: what is not there yet at that instant is waited for. */
  private turn(): void {
    const now = performance.now();
    for (let next = this.next(); next !== null; next = this.next()) {
      const slot = this.slots.occupy();
      if (!slot) break;
      this.waiting.remove(next);
      next.settle(this.admitted(slot, next.prepaid));
    }
    this.sendAway(this.waiting.removeImpatient(now));
    void this.getMore(now);
    this.wakeUpInTime(now);
  }

  private next(): QueuedRequest | null {
    return this.waiting.first(({ prepaid }) => prepaid || this.tokens.has());
  }

  private admitted(slot: Slot, prepaid: boolean): Permit {
    if (!prepaid) this.tokens.spend();
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      this.slots.vacate(slot, this.waiting.first()?.lane ?? null);
      if (this.waiting.size > 0) this.turn();
    };
    return { kind: 'pass', leave };
  }

  private async getMore(now: number): Promise<void> {
    const next = this.next();
    const unpaid = this.waiting.first(needsToken);
    const isFilled = next
      ? await this.slots.fill(this.tokens.enoughFor(this.waiting.size), next.lane, now)
      : unpaid !== null && this.slots.mayHaveOne && (await this.tokens.fill(unpaid.lane, this.waiting.size, now));
    if (!isFilled) return;
    if (!this.tokens.has()) this.sendAway(this.waiting.removeHopeless((lane) => this.tokens.emptyUntilFor(lane)));
    this.turn();
  }

  private sendAway(waiters: readonly QueuedRequest[]): void {
    for (const waiter of waiters) {
      const wait = this.tokens.emptyUntilFor(waiter.lane) - performance.now();
      const retryAfterSeconds = Math.max(1, Math.ceil(wait / SECOND));
      waiter.settle({ kind: 'withheld', reason: 'budget', retryAfterSeconds });
    }
  }

  /** When there may be a token or a slot again, or somebody's patience ends. */
  private wakeUpInTime(now: number): void {
    if (this.waiting.size === 0) return this.sleepUntil(Infinity, now);
    const lane = this.waiting.first(needsToken)?.lane ?? 'check';
    const supplies = [this.slots.emptyUntil, this.tokens.emptyUntilFor(lane)].filter((at) => at > now);
    this.sleepUntil(Math.min(this.waiting.earliestGivingUp, ...supplies), now);
  }

  private sleepUntil(wakesAt: number, now: number): void {
    if (wakesAt === this.wakesAt) return; // as after nearly every turn of a busy queue
    clearTimeout(this.timer);
    this.wakesAt = wakesAt;
    if (wakesAt === Infinity) return;
    const wakeUp = () => {
      this.wakesAt = Infinity;
      this.turn();
    };
    this.timer = setTimeout(wakeUp, Math.max(1, Math.ceil(wakesAt - now)));
  }
}

function needsToken({ prepaid }: QueuedRequest): boolean {
  return !prepaid;
}
