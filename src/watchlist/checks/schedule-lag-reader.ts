/** An operator with overdue names. */
export interface OverdueOperator {
  readonly operator: string;
  /** When its most overdue name was due. */
  readonly dueSince: Date;
}

/** How far checks are behind their schedule. */
export abstract class ScheduleLagReader {
  /** Operators with due names, each with its most overdue one; one statement, however many names there are. */
  abstract findOverdue(now: Date): Promise<readonly OverdueOperator[]>;
  /** Checks in flight, over all processes. */
  abstract countInFlight(): Promise<number>;
  /**
   * Whether a name that was due by then was claimed, and half of its lease passed without a start. Rejects when the
   * database does not answer within seconds.
   */
  abstract hasUnstartedClaims(dueBy: Date): Promise<boolean>;
}

/** Whole seconds since the most overdue name was due; 0 when none is. */
export function oldestOverdueSeconds(overdue: readonly OverdueOperator[], now: Date): number {
  return Math.max(0, ...overdue.map(({ dueSince }) => Math.floor((now.getTime() - dueSince.getTime()) / 1_000)));
}
