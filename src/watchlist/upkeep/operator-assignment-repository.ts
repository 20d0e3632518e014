/** Names directly below one suffix that are assigned to one operator. */
export interface OperatorAssignment {
  readonly operator: string;
  /** A TLD, or a public suffix below one. */
  readonly suffix: string;
}

export interface Reassignment extends OperatorAssignment {
  /** The current operator. */
  readonly to: string;
}

/** The operator of each name, whose budget, blocks and breaker decide when it is checked. */
export abstract class OperatorAssignmentRepository {
  /** One statement, which reads every name. */
  abstract findAll(): Promise<readonly OperatorAssignment[]>;
  /**
   * Updates thousands of names per statement; rows locked by another writer are skipped.
   * @returns how many names were reassigned
   */
  abstract reassign(handovers: readonly Reassignment[]): Promise<number>;
}
