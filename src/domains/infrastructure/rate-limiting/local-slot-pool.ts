import { Logger } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import type { LookupPriority } from '../../domain/lookup/operator-budget.js';
import type { DistributedSemaphore } from './distributed-semaphore.js';

/** Leave to have one question under way. */
export interface Slot {
  /** null: the database lent none, it is this process's only one. */
  readonly number: number | null;
  /** Until when a question may be begun on it, by the monotonic timer. */
  readonly usableUntil: number;
}

interface FreeSlot extends Slot {
  /** By the monotonic timer. */
  readonly freeSince: number;
}

/** For how long a slot is used again before others get a chance, and how long it may lie idle; milliseconds. */
const REUSE_MS = SECOND;
const IDLE_TIMEOUT_MS = 250;
/** How soon a process that found no slot asks again. Routine asks later, so that a person's question goes first. */
const RETRY_AFTER_MS: Readonly<Record<LookupPriority, number>> = { drop_window: 25, check: 50, routine: 150 };

/** The slots of one operator that this process holds. */
export class LocalSlotPool {
  private readonly log = new Logger(LocalSlotPool.name);
  private free: FreeSlot[] = [];
  private returning: number[] = [];
  private sweeper: NodeJS.Timeout | undefined;
  private flushScheduled: NodeJS.Immediate | undefined;
  private busy = 0;
  private retryAt = 0;
  private isReplenishing = false;
  private isShuttingDown = false;

  constructor(
    private readonly operator: string,
    private readonly concurrency: number,
    private readonly semaphore: DistributedSemaphore,
  ) {}

  /** By the monotonic timer. */
  get emptyUntil(): number {
    return this.retryAt;
  }

  /** Whether one is free or might be lent. */
  get mayAcquire(): boolean {
    return this.free.length > 0 || this.busy < this.concurrency;
  }

  acquire(): Slot | null {
    const now = performance.now();
    for (let slot = this.free.pop(); slot; slot = this.free.pop()) {
      if (slot.usableUntil > now) {
        this.busy += 1;
        return slot;
      }
      this.returnSlots([slot]);
    }
    return null;
  }

  /** Its question is over. A slot that was used for long enough goes back, and whoever waits elsewhere comes first. */
  release(slot: Slot, nextPriority: LookupPriority | null): void {
    this.busy -= 1;
    if (slot.number === null) return;
    const now = performance.now();
    if (slot.usableUntil > now && !this.isShuttingDown) this.keepFree(slot);
    else {
      this.returnSlots([slot]);
      if (nextPriority === 'routine') this.retryAt = now + RETRY_AFTER_MS.check + 10;
    }
  }

  /** This process is about to end: whoever comes after it need not wait until its leases are over. */
  shutDown(): void {
    this.isShuttingDown = true;
    this.returnWhere(() => true);
  }

  /** @returns false when there was nothing to do: the database is being asked already, or was a moment ago. */
  async replenish(wantedCount: number, priority: LookupPriority, now: number): Promise<boolean> {
    const missingCount = Math.min(wantedCount, this.concurrency - this.busy - this.free.length);
    if (this.isReplenishing || missingCount <= 0 || now < this.retryAt) return false;
    this.isReplenishing = true;
    const usableUntil = performance.now() + REUSE_MS;
    try {
      const numbers = await this.semaphore.acquire(this.operator, this.concurrency, missingCount);
      numbers.forEach((number) => this.keepFree({ number, usableUntil }));
      if (numbers.length === 0) this.retryAt = performance.now() + RETRY_AFTER_MS[priority];
    } catch (error) {
      this.allowOneWithoutDatabase(error, usableUntil);
    } finally {
      this.isReplenishing = false;
    }
    return true;
  }

  /** Without the database nobody knows what the others do, so one question at a time has to be enough. */
  private allowOneWithoutDatabase(error: unknown, usableUntil: number): void {
    this.retryAt = performance.now() + RETRY_AFTER_MS.routine;
    if (this.busy + this.free.length > 0) return;
    this.log.debug(
      `${this.operator}: one question at a time, the database lends no slots: ${(error as Error).message}`,
    );
    this.keepFree({ number: null, usableUntil });
  }

  private keepFree(slot: Slot): void {
    this.free.push({ ...slot, freeSince: performance.now() });
    this.scheduleSweep();
  }

  private scheduleSweep(): void {
    this.sweeper ??= setTimeout(() => {
      this.sweeper = undefined;
      const now = performance.now();
      this.returnWhere((slot) => slot.usableUntil <= now || slot.freeSince <= now - IDLE_TIMEOUT_MS);
      if (this.free.length > 0) this.scheduleSweep();
    }, IDLE_TIMEOUT_MS).unref();
  }

  private returnWhere(isExpired: (slot: FreeSlot) => boolean): void {
    const expired = this.free.filter(isExpired);
    if (expired.length === 0) return;
    this.free = this.free.filter((slot) => !expired.includes(slot));
    this.returnSlots(expired);
  }

  /** What is given back in one turn of the event loop is one statement. */
  private returnSlots(semaphore: readonly Slot[]): void {
    this.returning.push(...semaphore.flatMap(({ number }) => (number === null ? [] : [number])));
    if (this.returning.length > 0) this.flushScheduled ??= setImmediate(() => this.flushReturning());
  }

  private flushReturning(): void {
    const numbers = this.returning;
    this.returning = [];
    this.flushScheduled = undefined;
    // What could not be given back falls back by itself when its lease is over.
    this.semaphore
      .release(this.operator, numbers)
      .catch((error: unknown) => this.log.debug(`${this.operator}: slots not given back: ${String(error)}`));
  }
}
