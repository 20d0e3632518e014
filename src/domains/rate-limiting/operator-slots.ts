import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { SECOND } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { LookupPriority } from '../domain/lookup/admission.js';

/**
 * The lease outlasts any request: requests start in its first second only and take ten at most. So a request is over
 * before another process gets the slot, even if its holder crashed or lost the database.
 */
const LEASE_MS = 15 * SECOND;

/** NOT IN reads the slots that are taken once, and not once for each that an operator has. */
const ACQUIRE_SLOTS = {
  name: 'registry_slots_take',
  text: `
    insert into registry_slots as s (operator, slot, holder, until)
    select $1, free.slot, $4, now() + make_interval(secs => $5)
    from (
      select n.slot from generate_series(1, $2::int) n (slot)
      where n.slot not in (select h.slot from registry_slots h where h.operator = $1 and h.until > now())
      order by random()
      limit $3::int
    ) free
    on conflict (operator, slot) do update set holder = excluded.holder, until = excluded.until
      where s.until <= now()
    returning slot`,
};
const RELEASE_SLOTS = {
  name: 'registry_slots_release',
  text: `update registry_slots set until = '-infinity' where operator = $1 and holder = $2 and slot = any($3::smallint[])`,
};

/**
 * Limits how many requests all processes together send to an operator at a time: numbered slots, leased to processes
 * in PostgreSQL.
 */
@Injectable()
export class DistributedSemaphore {
  private readonly holder = randomUUID();

  constructor(private readonly statements: SqlClient) {}

  /** @returns the numbers of the slots acquired, empty when others hold all of them */
  async acquire(operator: string, concurrency: number, count: number): Promise<number[]> {
    const values = [operator, concurrency, count, this.holder, LEASE_MS / SECOND];
    return (await this.statements.run<{ slot: number }>(ACQUIRE_SLOTS, values)).map(({ slot }) => slot);
  }

  async release(operator: string, slots: readonly number[]): Promise<void> {
    await this.statements.run(RELEASE_SLOTS, [operator, this.holder, slots]);
  }
}

/** Where the slots of an operator come from. */
export type SlotStore = Pick<DistributedSemaphore, 'acquire' | 'release'>;

/** Allows one request at a time. */
export interface Slot {
  /** null: granted without the database, the only one of this process */
  readonly number: number | null;
  /** A request may start on it until then; performance.now() time. */
  readonly usableUntil: number;
}

interface FreeSlot extends Slot {
  /** performance.now() time */
  readonly freeSince: number;
}

/** A slot is reused for at most this long before others get a chance, and stays idle for at most this long. */
const REUSE_MS = SECOND;
const IDLE_TIMEOUT_MS = 250;
/**
 * Delay before the next attempt when all slots are taken; routine waits longest, so that a person's check goes
 * first.
 */
const RETRY_AFTER_MS: Readonly<Record<LookupPriority, number>> = { drop_window: 25, check: 50, routine: 150 };

/** The slots of one operator that this process holds. Slots are reused for a second, then returned in batches. */
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
    private readonly semaphore: SlotStore,
  ) {}

  /** performance.now() time */
  get emptyUntil(): number {
    return this.retryAt;
  }

  /** Whether a slot is free or may be acquired. */
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

  /**
   * The request is over. A slot that was reused long enough goes back to the database, so that other processes
   * come first.
   */
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

  /** Returns all slots, so that other processes need not wait for the leases to expire. */
  shutDown(): void {
    this.isShuttingDown = true;
    this.returnWhere(() => true);
  }

  /** @returns false when nothing was done: a request to the database is in flight, or its last attempt found no slot */
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

  /** One request at a time is allowed without the database, since the other processes' load is unknown. */
  private allowOneWithoutDatabase(error: unknown, usableUntil: number): void {
    this.retryAt = performance.now() + RETRY_AFTER_MS.routine;
    if (this.busy + this.free.length > 0) return;
    this.log.debug(`${this.operator}: one request at a time, no slots from the database: ${(error as Error).message}`);
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

  /** Slots returned in one turn of the event loop share a statement. */
  private returnSlots(slots: readonly Slot[]): void {
    this.returning.push(...slots.flatMap(({ number }) => (number === null ? [] : [number])));
    if (this.returning.length > 0) this.flushScheduled ??= setImmediate(() => this.flushReturning());
  }

  private flushReturning(): void {
    const numbers = this.returning;
    this.returning = [];
    this.flushScheduled = undefined;
    // An unreturned slot is free again when its lease expires.
    this.semaphore
      .release(this.operator, numbers)
      .catch((error: unknown) => this.log.debug(`${this.operator}: slots not returned: ${String(error)}`));
  }
}
