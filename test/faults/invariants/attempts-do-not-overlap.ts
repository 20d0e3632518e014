import type { FinalState, InvariantResult, Invariant } from '../results/final-state.js';
import type { WebhookArrival } from '../world/webhook-receivers.js';

/** Signatures have whole seconds, and a lease starts shortly before its attempt is signed. */
const ROUNDING = 1_500;

export const attemptsDoNotOverlap: Invariant = {
  name: 'I5',
  description:
    'each attempt arrives once, correctly signed, with identical bytes, and not beside another within a lease',
  check({ arrivals, leaseSeconds }: FinalState): InvariantResult {
    const each = Map.groupBy(arrivals, ({ event, channel }) => `${event} at ${channel}`);
    const perEvent = Map.groupBy(arrivals, ({ event }) => event);
    const lease = leaseSeconds * 1_000 - ROUNDING;
    const violations = [
      ...arrivals.filter(({ isGenuine }) => !isGenuine).map(({ event }) => `${event} arrived with a bad signature`),
      ...[...perEvent].filter(([, same]) => kinds(same) > 1).map(([event]) => `${event} arrived with different bytes`),
      ...[...each].flatMap(([what, attempts]) => doubles(attempts).map((how) => `${what}: ${how}`)),
      ...[...each].flatMap(([what, attempts]) => overlaps(attempts, lease).map((how) => `${what}: ${how}`)),
    ];
    return { summary: `${arrivals.length} arrivals of ${each.size} deliveries`, violations };
  },
};

function kinds(arrivals: readonly WebhookArrival[]): number {
  return new Set(arrivals.map(({ digest }) => digest)).size;
}

/** Every recorded attempt is one request. */
function doubles(attempts: readonly WebhookArrival[]): string[] {
  const same = Map.groupBy(attempts, ({ attempt }) => attempt);
  return [...same].flatMap(([attempt, { length }]) =>
    length > 1 ? [`attempt ${attempt} arrived ${length} times`] : [],
  );
}

function overlaps(attempts: readonly WebhookArrival[], lease: number): string[] {
  const inOrder = attempts.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  return inOrder.flatMap((later, i) => {
    const earlier = inOrder[i - 1];
    if (!earlier || later.arrivedAt >= earlier.endedAt) return [];
    const apart = Math.abs(later.signedAt - earlier.signedAt);
    return apart >= lease ? [] : [`two concurrent attempts, started ${apart} ms apart`];
  });
}
