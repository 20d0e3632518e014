import type { DomainName } from '../../domains/language.js';

/** The shortest interval of each plan, in minutes. */
export interface PlanMinimums {
  readonly byPlan: ReadonlyMap<string, number>;
  /** For accounts with none of these plans. */
  readonly fallback: number;
}

/** An entry whose stored minimum differs from its plan's. */
export interface OutOfSyncEntry {
  readonly accountId: string;
  readonly id: string;
  readonly domain: DomainName;
  readonly minimumMinutes: number;
}

/**
 * Tracks which accounts have their plan's minimum applied. An account is scanned until all its entries match, and for
 * some minutes after, in case a request under the former plan adds one more.
 */
export abstract class PlanMinimumRepository {
  /**
   * The next entries out of sync, account by account; one statement, outside of any transaction.
   * @param last of the previous page; null for the first
   */
  abstract findOutOfSync(floors: PlanMinimums, last: OutOfSyncEntry | null): Promise<readonly OutOfSyncEntry[]>;
  /** Records the accounts whose entries all match; one statement. */
  abstract markApplied(floors: PlanMinimums): Promise<void>;
}
