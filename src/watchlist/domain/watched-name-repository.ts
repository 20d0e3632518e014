import type { DomainName, Evidence } from '../../domains/language.js';
import type { WatchedName } from './watched-name.js';

/** Watched names, and names that were watched recently. */
export abstract class WatchedNameRepository {
  /** The stored name, or the given one, newly inserted; locked like {@link findForUpdate}. */
  abstract findOrCreate(start: WatchedName): Promise<WatchedName>;
  /** Locked until the unit of work ends, so that results for one name are applied one at a time. */
  abstract findForUpdate(name: DomainName): Promise<WatchedName | null>;
  /** Those of these A-labels that no other transaction has locked; locked in the order of their names. */
  abstract findUnlockedForUpdate(domains: readonly string[]): Promise<WatchedName[]>;
  /** The shortest required interval of the other active entries of the name; null when there are none. */
  abstract shortestInterval(name: DomainName, exceptEntry: string): Promise<number | null>;
  /** The same by A-label, without the entries of an account; a name is missing when there are none. */
  abstract shortestIntervals(domains: readonly string[], exceptAccount: string): Promise<ReadonlyMap<string, number>>;
  /** Whether any entry watches the name; one statement, outside any transaction. */
  abstract isWatched(name: DomainName): Promise<boolean>;
  /** Whether the absence of a watched name waits for DNS to deny its delegation; one statement, outside any transaction. */
  abstract isVetoed(name: DomainName): Promise<boolean>;
  /** Watched names of the TLD that are confirmed as registered, the latest confirmed first; one statement. */
  abstract findRegistered(tld: string, count: number): Promise<readonly string[]>;
  /** Deletes unwatched names that were last checked before then, in short transactions. @returns how many */
  abstract purgeUnwatched(before: Date, signal?: AbortSignal): Promise<number>;
  /** The evidence of the confirmed facts; empty before the first. */
  abstract findEvidence(name: DomainName): Promise<readonly Evidence[]>;
  /** Stores the evidence of the current facts; inside a unit of work. */
  abstract saveEvidence(name: DomainName, evidence: readonly Evidence[]): Promise<void>;
}
