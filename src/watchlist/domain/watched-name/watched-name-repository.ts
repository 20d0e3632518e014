import type { DomainName, Evidence } from '../../../domains/language.js';
import type { WatchedName } from './watched-name.js';

/** The names that are watched, or were not long ago. */
export abstract class WatchedNameRepository {
  /** The name as it is known, else as it starts; locked like {@link findForUpdate}, also against others that start it. */
  abstract findOrCreate(start: WatchedName): Promise<WatchedName>;
  /** Locked until the unit of work ends, so that looks at one name are recorded one after the other. */
  abstract findForUpdate(name: DomainName): Promise<WatchedName | null>;
  /** The smallest interval that entries of the name are due, one left out; null when none wants a look. */
  abstract shortestInterval(name: DomainName, exceptEntry: string): Promise<number | null>;
  /** Whether anybody watches the name; one statement, outside any transaction. */
  abstract isWatched(name: DomainName): Promise<boolean>;
  /** Forgets names that nobody watches and that were last looked at before then; one statement. @returns how many */
  abstract purgeUnwatched(before: Date): Promise<number>;
  /** What the proven facts of a name rest on; empty before the first. */
  abstract findEvidence(name: DomainName): Promise<readonly Evidence[]>;
  /** Inside a unit of work: what its facts of now rest on. */
  abstract saveEvidence(name: DomainName, evidence: readonly Evidence[]): Promise<void>;
}
