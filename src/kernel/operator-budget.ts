/** Limits the queries to one registry operator, whatever the TLD, host or protocol; the rate over all processes. */
export interface OperatorBudget {
  /** Queries per second in the long run; 0: no rate limit. */
  readonly perSecond: number;
  /** Queries that may be sent at once after an idle time. */
  readonly burst: number;
  /** Simultaneous queries of each process. */
  readonly concurrency: number;
}
