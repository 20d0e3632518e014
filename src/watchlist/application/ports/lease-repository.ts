import type { WatchedName } from '../../domain/watched-name/watched-name.js';

/** A hold on names of one operator for a look each; whoever comes with another token comes too late. */
export interface LeaseBatch {
  readonly operator: string;
  readonly token: string;
  readonly names: readonly string[];
}

/** A hold on one name. */
export interface Lease {
  readonly name: string;
  readonly token: string;
}

/** A name to look at, as it was stored when its lease was taken. */
export interface LeasedName {
  readonly watchedName: WatchedName;
  /** Whether time has come for one of its entries, though a look may bring no news. */
  readonly isBoundaryPassed: boolean;
}

/** An operator some of whose names are due. */
export interface OperatorDue {
  readonly operator: string;
  /** Looks under way at it, over all processes. */
  readonly inFlight: number;
}

/** Who may look at which name just now. */
export abstract class LeaseRepository {
  /**
   * Operators that have names due; one statement, however many names there are.
   * @param routineBefore names that are not urgent count when they were due by then
   */
  abstract findOperatorsDue(now: Date, routineBefore?: Date): Promise<readonly OperatorDue[]>;
  /**
   * Takes due names for one lease time: of each operator at most its quota, the most urgent first, and of those the
   * earliest due. Names that took a process down with them before come in batches of their own.
   * @param routineBefore names that are not urgent are taken when they were due by then
   */
  abstract claimDue(now: Date, quotas: ReadonlyMap<string, number>, routineBefore?: Date): Promise<LeaseBatch[]>;
  /** Holds these names for one lease time from now, and reads them. Those whose lease had run out are left out. */
  abstract start(batch: LeaseBatch, now: Date): Promise<LeasedName[]>;
  /** The same for names that were read already. @returns those still held */
  abstract renew(batch: LeaseBatch): Promise<readonly string[]>;
  /** Inside a unit of work: ends the lease. False when it was not ours any more; then nothing may be written. */
  abstract end(lease: Lease): Promise<boolean>;
  /** Gives claims back that could not be passed on, so that nobody waits for them to run out. */
  abstract release(batches: readonly LeaseBatch[]): Promise<void>;
  /** Sets names aside that were begun too often and never finished; one statement. @returns them */
  abstract quarantine(until: Date): Promise<readonly string[]>;
}
