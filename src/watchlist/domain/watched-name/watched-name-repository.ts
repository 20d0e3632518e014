import type { DomainName, Evidence } from '../../../domains/language.js';
import type { WatchedName } from './watched-name.js';

/** The names that are watched, or were not long ago. */
export abstract class WatchedNameRepository {
  /** The name as it is known, else as it starts; locked like {@link find}, also against others that start it. */
  abstract findOrStart(start: WatchedName): Promise<WatchedName>;
  /** Locked until the unit of work ends, so that looks at one name are recorded one after the other. */
  abstract find(name: DomainName): Promise<WatchedName | null>;
  /** The smallest interval that entries of the name are due, one left out; null when none wants a look. */
  abstract tightestInterval(name: DomainName, exceptEntry: string): Promise<number | null>;
  /** Whether anybody watches the name; one statement, outside any transaction. */
  abstract isWatched(name: DomainName): Promise<boolean>;
  /** Forgets names that nobody watches and that were last looked at before then; one statement. @returns how many */
  abstract forgetUnwatched(before: Date): Promise<number>;
  /** What the proven facts of a name rest on; empty before the first. */
  abstract evidenceOf(name: DomainName): Promise<readonly Evidence[]>;
  /** Inside a unit of work: what its facts of now rest on. */
  abstract keepEvidence(name: DomainName, evidence: readonly Evidence[]): Promise<void>;
}
