import {
  capacity,
  type Installation,
  type OperatorSchedule,
  rateLimit,
  type SimulationResult,
} from './installation.js';
import { LagHistogram } from './lag-histogram.js';
import { type Batch, SimulatedOperator } from './simulated-operator.js';
import { SimulatedWorker } from './simulated-worker.js';

/** As in the service: claim-due-names runs every 250 ms. */
const CLAIM_INTERVAL_MS = 250;

const STEP_MS = 5;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 60_000;

/** The schedule that intervals, rate limits and capacity leave: no arithmetic of queues yet. */
export function toSchedule(installation: Installation): OperatorSchedule[] {
  const { operators, intervalSeconds } = installation;
  const limited = operators.map((operator) => {
    const every = operator.names / rateLimit(operator, installation);
    return { operator, every: Math.max(intervalSeconds, every), isLimited: every > intervalSeconds };
  });
  const rate = limited.reduce((sum, { operator, every }) => sum + operator.names / every, 0);
  const stretch = Math.max(1, rate / capacity(installation));
  return limited.map(({ operator, every, isLimited }) => ({
    ...operator,
    checkedEverySeconds: every * stretch,
    limitedBy: stretch > 1 ? 'capacity' : isLimited ? 'rate limit' : 'interval',
  }));
}

/** Runs a minute of claims and checks in steps of 5 ms. Deterministic: the same installation gives the same result. */
export function simulate(installation: Installation): SimulationResult {
  const schedule = toSchedule(installation);
  const operators = schedule.map((one, i) => new SimulatedOperator(one, i / schedule.length, installation));
  const workers = Array.from({ length: installation.workers }, () => new SimulatedWorker(installation));
  const lag = new LagHistogram();
  const queue: { readonly batch: Batch; readonly from: number }[] = [];
  let nextClaimMs = 0;
  for (let now = 0; now < WARM_UP_MS + MEASURED_MS; now += STEP_MS) {
    for (const operator of operators) operator.refill(STEP_MS);
    if (now >= nextClaimMs) {
      const batches = operators.flatMap((operator) => operator.claim(now));
      const names = batches.reduce((sum, { size }) => sum + size, 0);
      const claimedAt = now + names * installation.claimMsPerName;
      queue.push(...batches.map((batch) => ({ batch, from: claimedAt })));
      nextClaimMs = Math.max(now + CLAIM_INTERVAL_MS / installation.schedulers, claimedAt);
    }
    for (let next = queue[0]; next && next.from <= now; next = queue[0]) {
      const free = workers.reduce((least, worker) => (worker.load < least.load ? worker : least));
      if (!free.take(next.batch)) break;
      queue.shift();
    }
    let budget = (installation.postgresNamesPerSecond * STEP_MS) / 1_000;
    for (const worker of workers)
      budget -= worker.run(now, STEP_MS, budget, (batch, names) => {
        const due = batch.operator.record(names);
        for (const dueAt of due) if (dueAt >= WARM_UP_MS) lag.add(now + STEP_MS - dueAt);
      });
  }
  return toResult(installation, schedule, lag);
}

function toResult(
  installation: Installation,
  schedule: readonly OperatorSchedule[],
  lag: LagHistogram,
): SimulationResult {
  const checkedPerSecond = schedule.reduce(
    (sum, { names, checkedEverySeconds }) => sum + names / checkedEverySeconds,
    0,
  );
  const names = schedule.reduce((sum, one) => sum + one.names, 0);
  const { workers, workerNamesPerSecond, postgresNamesPerSecond, claimMsPerName } = installation;
  return {
    wantedPerSecond: names / installation.intervalSeconds,
    checkedPerSecond,
    operators: schedule,
    lagMs: { p50: lag.at(0.5), p99: lag.at(0.99), worst: lag.at(1) },
    busy: {
      workers: checkedPerSecond / (workers * workerNamesPerSecond),
      postgresql: checkedPerSecond / postgresNamesPerSecond,
      schedulers: (checkedPerSecond * claimMsPerName) / 1_000,
    },
  };
}
