import { Logger } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import type { LookupPriority } from '../../domain/lookup/operator-budget.js';
import type { DistributedSemaphore } from './distributed-semaphore.js';

/** Leave to have one question under way. */
export interface Slot {
  /** null: the database lent none, it is this process's only one. */
  readonly number: number | null;
  /** Until when a question may be begun on it, by the monotonic timer. */
  readonly until: number;
}

interface FreeSlot extends Slot {
  /** By the monotonic timer. */
  readonly since: number;
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
  private leaving: number[] = [];
  private sweeper: NodeJS.Timeout | undefined;
  private releaser: NodeJS.Immediate | undefined;
  private busy = 0;
  private askAgainAt = 0;
  private filling = false;
  private isRetiring = false;

  constructor(
    private readonly operator: string,
    private readonly concurrency: number,
    private readonly slots: DistributedSemaphore,
  ) {}

  /** By the monotonic timer. */
  get emptyUntil(): number {
    return this.askAgainAt;
  }

  /** Whether one is free or might be lent. */
  get mayHaveOne(): boolean {
    return this.free.length > 0 || this.busy < this.concurrency;
  }

  occupy(): Slot | null {
    const now = performance.now();
    for (let slot = this.free.pop(); slot; slot = this.free.pop()) {
      if (slot.until > now) {
        this.busy += 1;
        return slot;
      }
      this.release([slot]);
    }
    return null;
  }

  /** Its question is over. A slot that was used for long enough goes back, and whoever waits elsewhere comes first. */
  vacate(slot: Slot, next: LookupPriority | null): void {
    this.busy -= 1;
    if (slot.number === null) return;
    const now = performance.now();
    if (slot.until > now && !this.isRetiring) this.keepAWhile(slot);
    else {
      this.release([slot]);
      if (next === 'routine') this.askAgainAt = now + RETRY_AFTER_MS.check + 10;
    }
  }

  /** This process is about to end: whoever comes after it need not wait until its leases are over. */
  retire(): void {
    this.isRetiring = true;
    this.releaseWhere(() => true);
  }

  /** @returns false when there was nothing to do: the database is being asked already, or was a moment ago. */
  async fill(wanted: number, lane: LookupPriority, now: number): Promise<boolean> {
    const missing = Math.min(wanted, this.concurrency - this.busy - this.free.length);
    if (this.filling || missing <= 0 || now < this.askAgainAt) return false;
    this.filling = true;
    const until = performance.now() + REUSE_MS;
    try {
      const numbers = await this.slots.take(this.operator, this.concurrency, missing);
      numbers.forEach((number) => this.keepAWhile({ number, until }));
      if (numbers.length === 0) this.askAgainAt = performance.now() + RETRY_AFTER_MS[lane];
    } catch (error) {
      this.lendOne(error, until);
    } finally {
      this.filling = false;
    }
    return true;
  }

  /** Without the database nobody knows what the others do, so one question at a time has to be enough. */
  private lendOne(error: unknown, until: number): void {
    this.askAgainAt = performance.now() + RETRY_AFTER_MS.routine;
    if (this.busy + this.free.length > 0) return;
    this.log.debug(
      `${this.operator}: one question at a time, the database lends no slots: ${(error as Error).message}`,
    );
    this.keepAWhile({ number: null, until });
  }

  private keepAWhile(slot: Slot): void {
    this.free.push({ ...slot, since: performance.now() });
    this.sweepLater();
  }

  private sweepLater(): void {
    this.sweeper ??= setTimeout(() => {
      this.sweeper = undefined;
      const now = performance.now();
      this.releaseWhere((slot) => slot.until <= now || slot.since <= now - IDLE_TIMEOUT_MS);
      if (this.free.length > 0) this.sweepLater();
    }, IDLE_TIMEOUT_MS).unref();
  }

  private releaseWhere(isOver: (slot: FreeSlot) => boolean): void {
    const over = this.free.filter(isOver);
    if (over.length === 0) return;
    this.free = this.free.filter((slot) => !over.includes(slot));
    this.release(over);
  }

  /** What is given back in one turn of the event loop is one statement. */
  private release(slots: readonly Slot[]): void {
    this.leaving.push(...slots.flatMap(({ number }) => (number === null ? [] : [number])));
    if (this.leaving.length > 0) this.releaser ??= setImmediate(() => this.releaseAll());
  }

  private releaseAll(): void {
    const numbers = this.leaving;
    this.leaving = [];
    this.releaser = undefined;
    // What could not be given back falls back by itself when its lease is over.
    this.slots
      .release(this.operator, numbers)
      .catch((error: unknown) => this.log.debug(`${this.operator}: slots not given back: ${String(error)}`));
  }
}
