/** Names of one registry operator, and what it allows. */
export interface OperatorLoad {
  readonly name: string;
  readonly names: number;
  /** Requests a second; 0: no limit. */
  readonly perSecond: number;
  /** Requests at a time. */
  readonly concurrency: number;
}

export interface Installation {
  readonly operators: readonly OperatorLoad[];
  readonly intervalSeconds: number;
  readonly workers: number;
  readonly schedulers: number;
  /** Names that one worker checks in a second when nothing else limits it. */
  readonly workerNamesPerSecond: number;
  /** Names whose check PostgreSQL carries in a second. */
  readonly postgresNamesPerSecond: number;
  readonly claimMsPerName: number;
  /** How long a registry takes to answer. */
  readonly registryMs: number;
}

export interface OperatorSchedule extends OperatorLoad {
  /** How often each name is checked in fact. */
  readonly checkedEverySeconds: number;
  readonly limitedBy: 'interval' | 'rate limit' | 'capacity';
}

export interface SimulationResult {
  /** How many checks keep the interval. */
  readonly wantedPerSecond: number;
  readonly checkedPerSecond: number;
  readonly operators: readonly OperatorSchedule[];
  /** Counts from due to recorded, by the schedule that the limits allow; milliseconds. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly worst: number };
  /** Parts of 1. */
  readonly busy: { readonly workers: number; readonly postgresql: number; readonly schedulers: number };
}

/** Requests a second that the operator allows: by its rate limit and by its concurrency. */
export function rateLimit({ perSecond, concurrency }: OperatorLoad, { registryMs }: Installation): number {
  const atATime = (concurrency * 1_000) / Math.max(registryMs, 0.001);
  return perSecond === 0 ? atATime : Math.min(perSecond, atATime);
}

/** Names a second that workers, PostgreSQL and schedulers carry. */
export function capacity(installation: Installation): number {
  const { workers, workerNamesPerSecond, postgresNamesPerSecond, claimMsPerName } = installation;
  return Math.min(workers * workerNamesPerSecond, postgresNamesPerSecond, 1_000 / claimMsPerName);
}
