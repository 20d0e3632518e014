import type { WatchedName } from '../domain/watched-name.js';

/** A lease on names of one operator. The token identifies its holder. */
export interface LeaseBatch {
  readonly operator: string;
  readonly token: string;
  readonly names: readonly string[];
}

/** A lease on one name. */
export interface Lease {
  readonly name: string;
  readonly token: string;
}

/** A leased name, as stored when its check started. */
export interface LeasedName {
  readonly watchedName: WatchedName;
  /** Whether an entry of it must be re-evaluated even if the facts stay the same. */
  readonly isBoundaryPassed: boolean;
}

/** An operator with due names. */
export interface OperatorDue {
  readonly operator: string;
  /** Its checks in flight, over all processes. */
  readonly inFlight: number;
}

/** Leases on names: who may check which name at present. */
export abstract class LeaseRepository {
  /**
   * Operators with due names; one statement, however many names there are.
   * @param routineBefore routine names count when they were due by then
   */
  abstract findOperatorsDue(now: Date, routineBefore?: Date): Promise<readonly OperatorDue[]>;
  /**
   * Leases due names: per operator at most its quota, by urgency, then by due time. Names that crashed a worker before
   * come in batches of their own.
   * @param routineBefore routine names count when they were due by then
   */
  abstract claimDue(now: Date, quotas: ReadonlyMap<string, number>, routineBefore?: Date): Promise<LeaseBatch[]>;
  /** Whether one of these names is in its drop window, where seconds matter. */
  abstract isAnyDropping(names: readonly string[]): Promise<boolean>;
  /** Extends the leases by one lease time and reads the names; expired leases are left out. */
  abstract start(batch: LeaseBatch, now: Date): Promise<LeasedName[]>;
  /** Extends the leases of names that were read already. @returns those still leased */
  abstract renew(batch: LeaseBatch): Promise<readonly string[]>;
  /** Ends the lease, inside a unit of work. False when it was lost; then nothing may be written. */
  abstract end(lease: Lease): Promise<boolean>;
  /** Releases leases whose jobs could not be enqueued. */
  abstract release(batches: readonly LeaseBatch[]): Promise<void>;
  /** Postpones poison names: their checks were started too often and never finished. One statement. @returns them */
  abstract postponePoisonNames(until: Date): Promise<readonly string[]>;
}
