import type { FinalState, InvariantResult, Invariant } from '../results/final-state.js';

/** The interval of the recovery sweep, and the backlog allowed on two cores. */
const SWEEP_SECONDS = 10;
const BACKLOG_SECONDS = 10;
/** Time to recover after an incident. */
const RECOVERY_MS = 1_000;

/** Without an incident, a name is checked within a lease, a sweep and the backlog. */
export const checksAreOnTime: Invariant = {
  name: 'I6',
  description: 'no check is later than a lease, a sweep and the backlog after an incident',
  check({ lateness, incidents: injected, leaseSeconds }: FinalState): InvariantResult {
    const limit = leaseSeconds + SWEEP_SECONDS + BACKLOG_SECONDS;
    const latest = lateness.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    const tooLate = lateness.filter(
      ({ at, seconds }) => seconds > limit + secondsOfIncidents(injected, at) + secondsWithoutWorkers(lateness, at),
    );
    return {
      summary: `${lateness.length} readings, the latest check ${latest.toFixed(1)} s behind, ${limit} s allowed`,
      violations: tooLate.map(({ at, seconds }) => `${seconds.toFixed(1)} s behind at ${new Date(at).toISOString()}`),
    };
  },
};

/** Seconds of incidents up to that instant. */
function secondsOfIncidents(injected: FinalState['incidents'], until: number): number {
  const spans = injected.map(({ from, to }) => Math.min(to + RECOVERY_MS, until) - from);
  return spans.reduce((sum, span) => sum + Math.max(0, span), 0) / 1_000;
}

/** Seconds up to that instant without a running worker and scheduler. */
function secondsWithoutWorkers(lateness: FinalState['lateness'], until: number): number {
  const spans = lateness.map(({ at, hasWorkers: isServed }, i) =>
    isServed || at > until ? 0 : at - (lateness[i - 1]?.at ?? at),
  );
  return spans.reduce((sum, span) => sum + span, 0) / 1_000;
}
