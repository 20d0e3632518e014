import type { Evidence, Finding, Invariant } from '../evidence.js';
import type { Arrival } from '../receivers.js';

/** Signatures tell whole seconds, and a lease begins a little before its attempt is signed; milliseconds. */
const ROUNDING = 1_500;

export const attemptsTakeTurns: Invariant = {
  name: 'I5',
  says: 'each attempt at a delivery comes once, never beside another within a lease, in the same bytes, and genuine',
  judge({ arrivals, leaseSeconds }: Evidence): Finding {
    const each = Map.groupBy(arrivals, ({ event, channel }) => `${event} at ${channel}`);
    const perEvent = Map.groupBy(arrivals, ({ event }) => event);
    const lease = leaseSeconds * 1_000 - ROUNDING;
    const violations = [
      ...arrivals.filter(({ isGenuine }) => !isGenuine).map(({ event }) => `${event} came with a bad signature`),
      ...[...perEvent].filter(([, same]) => kinds(same) > 1).map(([event]) => `${event} came in different bytes`),
      ...[...each].flatMap(([what, attempts]) => doubles(attempts).map((how) => `${what}: ${how}`)),
      ...[...each].flatMap(([what, attempts]) => overlaps(attempts, lease).map((how) => `${what}: ${how}`)),
    ];
    return { about: `${arrivals.length} arrivals of ${each.size} deliveries`, violations };
  },
};

function kinds(arrivals: readonly Arrival[]): number {
  return new Set(arrivals.map(({ digest }) => digest)).size;
}

/** Every attempt that is written down is one request. */
function doubles(attempts: readonly Arrival[]): string[] {
  const same = Map.groupBy(attempts, ({ attempt }) => attempt);
  return [...same].flatMap(([attempt, { length }]) => (length > 1 ? [`attempt ${attempt} came ${length} times`] : []));
}

function overlaps(attempts: readonly Arrival[], lease: number): string[] {
  const inOrder = attempts.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  return inOrder.flatMap((later, i) => {
    const earlier = inOrder[i - 1];
    if (!earlier || later.arrivedAt >= earlier.endedAt) return [];
    const apart = Math.abs(later.signedAt - earlier.signedAt);
    return apart >= lease ? [] : [`two attempts at a time, begun ${apart} ms apart`];
  });
}
