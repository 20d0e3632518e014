import { SECOND } from '../../kernel/clock.js';
import { type AdmissionRequest, type LookupPriority, PRIORITIES } from '../domain/lookup/admission.js';
import type { Permit, Rejection } from './registry-admission.js';
import type { Slot, LocalSlotPool } from './operator-slots.js';
import type { OperatorTokenPool } from './operator-tokens.js';

const DEFAULT_WAIT_TIMEOUT_MS = 3 * SECOND;
/** Covers one round trip to the token store, however little time the caller gives. */
const MIN_WAIT_TIMEOUT_MS = SECOND / 2;

/**
 * Queues this process's requests to one operator until each has a token and a slot. Fetches tokens only when a slot
 * may be available, and slots only for requests that have a token, so that neither is held unused.
 */
export class AdmissionQueue {
  private readonly waiting = new PriorityQueue();
  private timer: NodeJS.Timeout | undefined;
  private wakeUpAt = Infinity;

  constructor(
    private readonly tokens: OperatorTokenPool,
    private readonly slots: LocalSlotPool,
  ) {}

  acquire({
    priority,
    maxWaitMs = DEFAULT_WAIT_TIMEOUT_MS,
    hasReservedToken = false,
    isRepeat = false,
  }: AdmissionRequest): Promise<Permit | Rejection> {
    const slot = this.waiting.size === 0 && (hasReservedToken || this.tokens.hasToken()) ? this.slots.acquire() : null;
    if (slot) return Promise.resolve(this.grant(slot, hasReservedToken));
    const deadline = performance.now() + Math.max(maxWaitMs, MIN_WAIT_TIMEOUT_MS);
    return new Promise((settle) => {
      this.waiting.add({ priority, hasReservedToken, isRepeat, deadline, settle });
      this.admitWaiting();
    });
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  shutDown(): void {
    this.slots.shutDown();
  }

  /** Called when the operator becomes blocked or its breaker opens. */
  rejectAll(rejection: Rejection): void {
    this.waiting.removeExpired(Infinity).forEach((request) => request.settle(rejection));
  }

  /** Reads the time once: whatever is not available at that instant has to be waited for. */
  private admitWaiting(): void {
    const now = performance.now();
    for (let next = this.nextAdmissible(); next !== null; next = this.nextAdmissible()) {
      const slot = this.slots.acquire();
      if (!slot) break;
      this.waiting.remove(next);
      next.settle(this.grant(slot, next.hasReservedToken));
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
    const next = this.nextAdmissible();
    const needingToken = this.waiting.first(needsToken);
    const isReplenished = next
      ? await this.slots.replenish(this.tokens.servableCount(this.waiting.size), next.priority, now)
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

  /** Wakes up when a token or a slot may be available, or when the next request expires. */
  private scheduleWakeUp(now: number): void {
    if (this.waiting.size === 0) return this.sleepUntil(Infinity, now);
    const priority = this.waiting.first(needsToken)?.priority ?? 'check';
    const replenishTimes = [this.slots.emptyUntil, this.tokens.emptyUntil(priority)].filter((at) => at > now);
    this.sleepUntil(Math.min(this.waiting.earliestDeadline, ...replenishTimes), now);
  }

  private sleepUntil(wakeUpAt: number, now: number): void {
    if (wakeUpAt === this.wakeUpAt) return; // the usual case in a busy queue
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

function needsToken({ hasReservedToken }: QueuedRequest): boolean {
  return !hasReservedToken;
}

/** A request that waits for admission. */
export interface QueuedRequest {
  readonly priority: LookupPriority;
  readonly hasReservedToken: boolean;
  /** See AdmissionRequest. */
  readonly isRepeat: boolean;
  /** performance.now() time */
  readonly deadline: number;
  readonly settle: (outcome: Permit | Rejection) => void;
}

/** Requests that wait for one operator: by priority, repeats first, then first in, first out. */
export class PriorityQueue {
  private readonly queues: Record<LookupPriority, QueuedRequest[]> = { drop_window: [], check: [], routine: [] };
  private minDeadline = Infinity;

  get size(): number {
    let size = 0;
    for (const priority of PRIORITIES) size += this.queues[priority].length;
    return size;
  }

  add(request: QueuedRequest): void {
    const queue = this.queues[request.priority];
    const position = request.isRepeat ? queue.findIndex(({ isRepeat }) => !isRepeat) : -1;
    if (position < 0) queue.push(request);
    else queue.splice(position, 0, request);
    this.minDeadline = Math.min(this.minDeadline, request.deadline);
  }

  first(isEligible: (request: QueuedRequest) => boolean = () => true): QueuedRequest | null {
    for (const priority of PRIORITIES) {
      const request = this.queues[priority].find(isEligible);
      if (request) return request;
    }
    return null;
  }

  remove(request: QueuedRequest): void {
    const priority = this.queues[request.priority];
    const index = priority.indexOf(request);
    if (index === 0)
      priority.shift(); // the usual case, in queues of thousands
    else if (index > 0) priority.splice(index, 1);
  }

  /** Removes and returns the requests whose deadline has passed. */
  removeExpired(before: number): QueuedRequest[] {
    if (before < this.minDeadline) return []; // called on every wake-up, by queues of thousands
    const removed = this.removeWhere(({ deadline }) => deadline <= before);
    const remaining = PRIORITIES.flatMap((priority) => this.queues[priority]);
    this.minDeadline = remaining.reduce((minDeadline, { deadline }) => Math.min(minDeadline, deadline), Infinity);
    return removed;
  }

  /** Removes and returns the requests that expire before there is a token for them. */
  removeUnservable(emptyUntil: (priority: LookupPriority) => number): QueuedRequest[] {
    return this.removeWhere(
      ({ priority, deadline, hasReservedToken }) => !hasReservedToken && deadline < emptyUntil(priority),
    );
  }

  /** A lower bound: the request that had this deadline may have been admitted since. */
  get earliestDeadline(): number {
    return this.minDeadline;
  }

  private removeWhere(shouldRemove: (request: QueuedRequest) => boolean): QueuedRequest[] {
    const removed = PRIORITIES.flatMap((priority) => this.queues[priority].filter(shouldRemove));
    removed.forEach((request) => this.remove(request));
    return removed;
  }
}
