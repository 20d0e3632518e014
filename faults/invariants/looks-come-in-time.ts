import type { Evidence, Finding, Invariant } from '../evidence.js';

/** A sweep, and what a machine of two cores may be behind with; seconds. */
const SWEEP = 10;
const BACKLOG = 10;
/** What it takes to find the way back; milliseconds. */
const RECOVERY = 1_000;

/** What nobody stands in the way of any more is looked at within a lease, a sweep and the backlog. */
export const looksComeInTime: Invariant = {
  name: 'I6',
  says: 'no look is later than a lease, a sweep and the backlog after what kept it',
  judge({ lateness, happened, leaseSeconds }: Evidence): Finding {
    const limit = leaseSeconds + SWEEP + BACKLOG;
    const latest = lateness.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    const tooLate = lateness.filter(
      ({ at, seconds }) => seconds > limit + troubled(happened, at) + unserved(lateness, at),
    );
    return {
      about: `${lateness.length} readings, the latest look ${latest.toFixed(1)} s behind, ${limit} s allowed`,
      violations: tooLate.map(({ at, seconds }) => `${seconds.toFixed(1)} s behind at ${new Date(at).toISOString()}`),
    };
  },
};

/** Seconds until then in which something was being done to the service. */
function troubled(happened: Evidence['happened'], until: number): number {
  const spans = happened.map(({ from, to }) => Math.min(to + RECOVERY, until) - from);
  return spans.reduce((sum, span) => sum + Math.max(0, span), 0) / 1_000;
}

/** Seconds until then in which nobody was up yet to look, which on a busy machine takes its time. */
function unserved(lateness: Evidence['lateness'], until: number): number {
  const spans = lateness.map(({ at, isServed }, i) => (isServed || at > until ? 0 : at - (lateness[i - 1]?.at ?? at)));
  return spans.reduce((sum, span) => sum + span, 0) / 1_000;
}
