import type { FinalState, InvariantResult, Invariant } from '../results/final-state.js';
import { acceptedEvents } from './deliveries-finish.js';

/** Outcomes after which the receiver may have accepted the event all the same. */
const UNCONFIRMED_OUTCOMES = new Set(['lost', 'timeout', 'connect']);
/** Concurrent attempts per host, which a process may lose when it dies. */
const HOST_CONCURRENCY = 5;

/** A duplicate was lost between sending and committing, and only incidents lose attempts. */
export const duplicatesAreExplained: Invariant = {
  name: 'I8',
  description: 'only what a kill, a freeze or an outage lost between sending and committing is sent twice',
  check(state: FinalState): InvariantResult {
    const { deliveries, attempts, channelLabels: standing, incidents: injected } = state;
    const tries = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    const taken = Map.groupBy(acceptedEvents(state), ({ event, channel }) => `${event} ${channel}`);
    const repeated = deliveries.flatMap(({ id, eventId, channelId }) => {
      const times = taken.get(`${eventId} ${standing.get(channelId)}`)?.length ?? 0;
      const outcomes = (tries.get(id) ?? []).map(({ outcome }) => outcome ?? 'under way');
      const unconfirmed = outcomes.filter((outcome) => UNCONFIRMED_OUTCOMES.has(outcome)).length;
      return times > 1 + unconfirmed ? [`${id} was accepted ${times} times, with attempts ${outcomes.join(', ')}`] : [];
    });
    const lost = attempts.filter(({ outcome }) => outcome === 'lost');
    const most = injected.length * HOST_CONCURRENCY;
    const unexplained = lost.length > most ? [`${lost.length} attempts were lost by ${injected.length} incidents`] : [];
    const twice = [...taken.values()].reduce((sum, same) => sum + same.length - 1, 0);
    return {
      summary: `${twice} sent twice, ${state.mailed.length} mailed, ${lost.length} attempts lost`,
      violations: [...repeated, ...unexplained],
    };
  },
};
