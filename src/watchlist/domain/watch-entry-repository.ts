import type { DomainName } from '../../domains/language.js';
import type { WatchEntry } from './watch-entry.js';

/** The entries of all accounts. */
export abstract class WatchEntryRepository {
  abstract add(entry: WatchEntry): void;
  abstract remove(entry: WatchEntry): void;
  /** The A-labels that the account watches after this one, in order; one statement, outside any transaction. */
  abstract findDomains(accountId: string, after: string, limit: number): Promise<string[]>;
  /** The account's entries for these A-labels, locked like {@link findForUpdate}. */
  abstract findAllForUpdate(accountId: string, domains: readonly string[]): Promise<WatchEntry[]>;
  /** Locked until the unit of work ends; lock its name first. */
  abstract findForUpdate(accountId: string, id: string): Promise<WatchEntry | null>;
  abstract findDomain(accountId: string, id: string): Promise<DomainName | null>;
  /** Whether the account actively watches the name since then; one statement, outside any transaction. */
  abstract isWatching(accountId: string, domain: DomainName, since: Date): Promise<boolean>;
  abstract findByDomain(accountId: string, domain: DomainName): Promise<WatchEntry | null>;
  /** Counts the entries of an account and blocks concurrent additions until the unit of work ends. */
  abstract lockAndCount(accountId: string): Promise<number>;
  /** The active entries of a name; with `boundary`, only those that time alone may move by then. Locked. */
  abstract findActiveForUpdate(domain: DomainName, boundary?: Date): Promise<WatchEntry[]>;
  /** The active entries of a name by whether a failure was notified. Locked. */
  abstract findByFailureNotified(domain: DomainName, isNotified: boolean): Promise<WatchEntry[]>;
}
