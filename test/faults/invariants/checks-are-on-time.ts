import type { FinalState, InvariantResult, Invariant } from '../results/final-state.js';

/** The interval of the recovery sweep, and the backlog allowed on two cores. */
const SWEEP_SECONDS = 10;
const BACKLOG_SECONDS = 10;
/** Time to recover after an incident. */
const RECOVERY_MS = 1_000;

/** Without an incident while it waits, a name is checked within a lease, a sweep and the backlog. */
export const checksAreOnTime: Invariant = {
  name: 'I6',
  description: 'no check is later than a lease, a sweep and the backlog after an incident',
  check({ lateness, incidents: injected, leaseSeconds }: FinalState): InvariantResult {
    const limit = leaseSeconds + SWEEP_SECONDS + BACKLOG_SECONDS;
    const latest = lateness.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    const excuses = [
      ...injected.map(({ from, to }): Span => ({ from, to: to + RECOVERY_MS })),
      ...spansWithoutWorkers(lateness),
    ];
    const tooLate = lateness.filter(({ at, seconds }) => {
      return seconds > limit + coveredSeconds(excuses, { from: at - seconds * 1_000, to: at });
    });
    return {
      summary: `${lateness.length} readings, the latest check ${latest.toFixed(1)} s behind, ${limit} s allowed`,
      violations: tooLate.map(({ at, seconds }) => `${seconds.toFixed(1)} s behind at ${new Date(at).toISOString()}`),
    };
  },
};

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns how many seconds of the window lie in at least one span: incidents overlap, and each second excuses one. */
function coveredSeconds(spans: readonly Span[], window: Span): number {
  let [covered, end] = [0, window.from];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = Math.min(to, window.to);
    covered += Math.max(0, last - Math.max(from, end));
    end = Math.max(end, last);
  }
  return covered / 1_000;
}

/** The times between readings at which no worker or no scheduler was running. */
function spansWithoutWorkers(lateness: FinalState['lateness']): Span[] {
  return lateness.flatMap(({ at, hasWorkers }, i) => (hasWorkers ? [] : [{ from: lateness[i - 1]?.at ?? at, to: at }]));
}
