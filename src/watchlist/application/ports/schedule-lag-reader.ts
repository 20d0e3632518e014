/** Names of one operator that should have been looked at by now. */
export interface OverdueOperator {
  readonly operator: string;
  /** Since when the most overdue of them is due. */
  readonly dueSince: Date;
}

/** How far looks are behind their schedule. */
export abstract class ScheduleLagReader {
  /** Operators with names that are due, each with its most overdue one; one statement, however many names. */
  abstract findOverdue(now: Date): Promise<readonly OverdueOperator[]>;
  /** Looks under way, over all processes. */
  abstract countInFlight(): Promise<number>;
  /**
   * Whether a name that was due by then was claimed and is left lying: half of its lease is over, and nobody began.
   * Rejects when there is no answer within seconds.
   */
  abstract hasUnstartedClaims(dueBy: Date): Promise<boolean>;
}

/** Whole seconds since the most overdue name was due; 0 when none is. */
export function oldestOverdueSeconds(overdue: readonly OverdueOperator[], now: Date): number {
  return Math.max(0, ...overdue.map(({ dueSince }) => Math.floor((now.getTime() - dueSince.getTime()) / 1_000)));
}
