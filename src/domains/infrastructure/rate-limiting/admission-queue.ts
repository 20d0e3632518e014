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
  private wakeUpAt = Infinity;

  constructor(
    private readonly tokens: LocalTokenPool,
    private readonly slots: LocalSlotPool,
  ) {}

  acquire({
    priority: priority,
    maxWaitMs: maxWaitMs = DEFAULT_WAIT_TIMEOUT_MS,
    hasReservedToken: hasReservedToken = false,
  }: AdmissionRequest): Promise<Permit | Rejection> {
    const slot = this.waiting.size === 0 && (hasReservedToken || this.tokens.hasToken()) ? this.slots.acquire() : null;
    if (slot) return Promise.resolve(this.grant(slot, hasReservedToken));
    const deadline = performance.now() + Math.max(maxWaitMs, MIN_WAIT_TIMEOUT_MS);
    return new Promise((settle) => {
      this.waiting.add({ priority, hasReservedToken, deadline, settle });
      this.admitWaiting();
    });
  }

  shutDown(): void {
    this.slots.shutDown();
  }

  /** The operator is to be left alone. */
  rejectAll(rejection: Rejection): void {
    this.waiting.removeExpired(Infinity).forEach((request) => request.settle(rejection));
  }

  /** One instant for all of it: what is not there yet at that instant is waited for. */
  private admitWaiting(): void {
    const now = performance.now();
    for (let nextAdmissible = this.nextAdmissible(); nextAdmissible !== null; nextAdmissible = this.nextAdmissible()) {
      const slot = this.slots.acquire();
      if (!slot) break;
      this.waiting.remove(nextAdmissible);
      nextAdmissible.settle(this.grant(slot, nextAdmissible.hasReservedToken));
    }
    this.reject(this.waiting.removeExpired(now));
    void this.replenish(now);
    this.scheduleWakeUp(now);
  }

  private nextAdmissible(): QueuedRequest | null {
    return this.waiting.first(({ hasReservedToken }) => hasReservedToken || this.tokens.hasToken());
  }

  private grant(slot: Slot, hasReservedToken: boolean): Permit {
    if (!hasReservedToken) this.tokens.consume();
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.slots.release(slot, this.waiting.first()?.priority ?? null);
      if (this.waiting.size > 0) this.admitWaiting();
    };
    return { kind: 'permit', release };
  }

  private async replenish(now: number): Promise<void> {
    const nextAdmissible = this.nextAdmissible();
    const needingToken = this.waiting.first(needsToken);
    const isReplenished = nextAdmissible
      ? await this.slots.replenish(this.tokens.servableCount(this.waiting.size), nextAdmissible.priority, now)
      : needingToken !== null &&
        this.slots.mayAcquire &&
        (await this.tokens.replenish(needingToken.priority, this.waiting.size, now));
    if (!isReplenished) return;
    if (!this.tokens.hasToken())
      this.reject(this.waiting.removeUnservable((priority) => this.tokens.emptyUntil(priority)));
    this.admitWaiting();
  }

  private reject(requests: readonly QueuedRequest[]): void {
    for (const request of requests) {
      const waitMs = this.tokens.emptyUntil(request.priority) - performance.now();
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND));
      request.settle({ kind: 'rejected', reason: 'budget', retryAfterSeconds });
    }
  }

  /** When there may be a token or a slot again, or somebody's patience ends. */
  private scheduleWakeUp(now: number): void {
    if (this.waiting.size === 0) return this.sleepUntil(Infinity, now);
    const priority = this.waiting.first(needsToken)?.priority ?? 'check';
    const replenishTimes = [this.slots.emptyUntil, this.tokens.emptyUntil(priority)].filter((at) => at > now);
    this.sleepUntil(Math.min(this.waiting.earliestDeadline, ...replenishTimes), now);
  }

  private sleepUntil(wakeUpAt: number, now: number): void {
    if (wakeUpAt === this.wakeUpAt) return; // as after nearly every turn of a busy queue
    clearTimeout(this.timer);
    this.wakeUpAt = wakeUpAt;
    if (wakeUpAt === Infinity) return;
    const wakeUp = () => {
      this.wakeUpAt = Infinity;
      this.admitWaiting();
    };
    this.timer = setTimeout(wakeUp, Math.max(1, Math.ceil(wakeUpAt - now)));
  }
}

function needsToken({ hasReservedToken: prepaid }: QueuedRequest): boolean {
  return !prepaid;
}
