import type { DomainName } from '../../../domains/language.js';
import type { WatchEntry } from './watch-entry.js';

/** The entries of all accounts. */
export abstract class WatchEntryRepository {
  abstract add(entry: WatchEntry): void;
  abstract remove(entry: WatchEntry): void;
  /** Any of the account's, in the order of their names. */
  abstract findBatch(accountId: string, limit: number): Promise<WatchEntry[]>;
  /** Locked until the unit of work ends; lock its name before it. */
  abstract findForUpdate(accountId: string, id: string): Promise<WatchEntry | null>;
  abstract findDomain(accountId: string, id: string): Promise<DomainName | null>;
  /** Whether the account has watched the name since then, and does not pause; one statement, outside any transaction. */
  abstract isWatching(accountId: string, domain: DomainName, since: Date): Promise<boolean>;
  abstract findByDomain(accountId: string, domain: DomainName): Promise<WatchEntry | null>;
  /** Counts an account's entries and holds other additions of the account off until the unit of work ends. */
  abstract lockAndCount(accountId: string): Promise<number>;
  /** The entries that watch the name; with `boundary`, only those that time alone moves by then. Locked. */
  abstract findActiveForUpdate(domain: DomainName, boundary?: Date): Promise<WatchEntry[]>;
  /** Those whose watchers were told, or not told, that looks fail. Locked. */
  abstract findByFailureNotified(domain: DomainName, told: boolean): Promise<WatchEntry[]>;
}
