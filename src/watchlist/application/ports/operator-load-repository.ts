import type { OperatorDemand } from '../../domain/policies/operator-load.js';

/** What names want of their operators, and what comes of it. */
export abstract class OperatorLoadRepository {
  /** Of all names on a schedule; none when somebody measured it minutes ago. One statement, which reads every name. */
  abstract measureDemand(): Promise<readonly OperatorDemand[]>;
  /** By operator, in minutes, for entries to show; those of before are forgotten. One statement. */
  abstract storeDelays(delays: ReadonlyMap<string, number>): Promise<void>;
}
