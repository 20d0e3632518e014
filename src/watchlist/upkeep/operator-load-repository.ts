import type { OperatorDemand } from '../domain/operator-load.js';

/** The demand of each operator's names, and the resulting delays. */
export abstract class OperatorLoadRepository {
  /** The demand of all scheduled names; empty when measured minutes ago. One statement, which reads every name. */
  abstract measureDemand(): Promise<readonly OperatorDemand[]>;
  /** Replaces the stored delays, in minutes by operator. One statement. */
  abstract storeDelays(delays: ReadonlyMap<string, number>): Promise<void>;
}
