/** Limits the queries of all processes to one registry operator, over all its TLDs, hosts and protocols. */
export interface OperatorBudget {
  /** Queries per second in the long run; 0: no rate limit. */
  readonly perSecond: number;
  /** Queries that may be sent at once after an idle time. */
  readonly burst: number;
  /** Simultaneous queries. */
  readonly concurrency: number;
}
