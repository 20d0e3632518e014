/** Names directly below one suffix, held to be of one operator. */
export interface OperatorAssignment {
  readonly operator: string;
  /** A TLD, or a public suffix below one. */
  readonly suffix: string;
}

export interface Reassignment extends OperatorAssignment {
  /** Whose they are in fact. */
  readonly to: string;
}

/** Whose names are held to be whose: their operators' budgets and standings decide when they are looked at. */
export abstract class OperatorAssignmentRepository {
  /** One statement, which reads every name. */
  abstract findAll(): Promise<readonly OperatorAssignment[]>;
  /**
   * Some thousands of names a statement. One that is being written just now is left to whoever writes it.
   * @returns how many names were handed over
   */
  abstract reassign(handovers: readonly Reassignment[]): Promise<number>;
}
