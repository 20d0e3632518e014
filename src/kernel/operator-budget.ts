/** Limits the queries to one registry operator, whatever the TLD, host or protocol. */
export interface OperatorBudget {
  /** Queries per second of all processes together, in the long run; 0 for no rate limit. */
  readonly perSecond: number;
  /** Queries that may be sent at once after an idle time. */
  readonly burst: number;
  /** How many queries each process may have under way at a time. */
  readonly concurrency: number;
}
