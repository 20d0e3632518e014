import type { DomainName } from '../../../domains/language.js';

/** The shortest interval that each plan allows; minutes. */
export interface PlanMinimums {
  readonly byPlan: ReadonlyMap<string, number>;
  /** For accounts whose plan is none of these. */
  readonly fallback: number;
}

/** An entry that is not held to what its account's plan allows, or is though it need not be. */
export interface OutOfSyncEntry {
  readonly accountId: string;
  readonly id: string;
  readonly domain: DomainName;
  readonly minimumMinutes: number;
}

/**
 * How far plans that changed have come through to the entries. An account is looked through until all of its entries are
 * held to its plan, and for some minutes after, in case a request that began under the former plan adds one more.
 */
export abstract class PlanMinimumRepository {
  /**
   * The next entries to hold, account by account; one statement, outside of any transaction.
   * @param last of those before; null for the first
   */
  abstract findOutOfSync(floors: PlanMinimums, last: OutOfSyncEntry | null): Promise<readonly OutOfSyncEntry[]>;
  /** Notes which accounts have all of their entries held; one statement. */
  abstract markApplied(floors: PlanMinimums): Promise<void>;
}
