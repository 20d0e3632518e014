import type { Evidence, Finding, Invariant } from '../evidence.js';
import { takings } from './deliveries-end.js';

/** Ends of attempts after which the receiver may have taken them: nobody was left to hear of it, or not in time. */
const UNHEARD = new Set(['lost', 'timeout', 'connect']);
/** Attempts that may be under way at one host, and so in the hands of whoever dies. */
const PLACES = 5;

/** What is sent twice was lost between sending and committing, and what was lost was lost by something that was done. */
export const repeatsAreExplained: Invariant = {
  name: 'I8',
  says: 'nothing is sent twice but what a kill, a freeze or an outage lost between sending and committing',
  judge(evidence: Evidence): Finding {
    const { deliveries, attempts, standing, happened } = evidence;
    const tries = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    const taken = Map.groupBy(takings(evidence), ({ event, channel }) => `${event} ${channel}`);
    const repeated = deliveries.flatMap(({ id, eventId, channelId }) => {
      const times = taken.get(`${eventId} ${standing.get(channelId)}`)?.length ?? 0;
      const outcomes = (tries.get(id) ?? []).map(({ outcome }) => outcome ?? 'under way');
      const unheard = outcomes.filter((outcome) => UNHEARD.has(outcome)).length;
      return times > 1 + unheard ? [`${id} was taken ${times} times, its attempts being ${outcomes.join(', ')}`] : [];
    });
    const lost = attempts.filter(({ outcome }) => outcome === 'lost');
    const most = happened.length * PLACES;
    const unexplained = lost.length > most ? [`${lost.length} attempts were lost by ${happened.length} incidents`] : [];
    const twice = [...taken.values()].reduce((sum, same) => sum + same.length - 1, 0);
    return {
      about: `${twice} sent twice, ${evidence.mailed.length} mailed, ${lost.length} attempts lost`,
      violations: [...repeated, ...unexplained],
    };
  },
};
