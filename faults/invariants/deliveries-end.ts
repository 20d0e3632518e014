import type { Evidence, Finding, Invariant } from '../evidence.js';
import type { Mailed } from '../mails.js';

const ENDS = new Set(['delivered', 'failed', 'paused', 'disabled']);

export const deliveriesEnd: Invariant = {
  name: 'I4',
  says: 'every delivery was attempted and has ended, and what is marked delivered was taken',
  judge(evidence: Evidence): Finding {
    const { deliveries, attempts, standing, unrest, entries, events } = evidence;
    const watched = new Set(entries.map(({ id }) => id));
    const ofWatched = new Set(events.filter(({ entryId }) => watched.has(entryId ?? '')).map(({ id }) => id));
    const tries = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    const taken = new Set(takings(evidence).map(({ event, channel }) => `${event} ${channel}`));
    const violations = deliveries.flatMap(({ id, eventId, channelId, state }) => {
      const label = standing.get(channelId);
      if (!ENDS.has(state)) return [`${id} is still ${state}`];
      if (state === 'disabled' && !ofWatched.has(eventId)) return []; // its entry was removed before it was sent
      if (!tries.has(id)) return [`${id} is ${state} without an attempt`];
      if (state !== 'delivered') return [`${id} is ${state}, though its receiver takes everything in the end`];
      if (label !== undefined && !taken.has(`${eventId} ${label}`))
        return [`${id} is marked delivered, and ${label} never took ${eventId}`];
      return [];
    });
    const open = attempts.filter(({ outcome }) => outcome === null);
    const unended = open.map(({ deliveryId, number }) => `attempt ${number} of ${deliveryId} never ended`);
    return {
      about: `${deliveries.length} deliveries, ${attempts.length} attempts`,
      violations: [...violations, ...unended, ...unrest],
    };
  },
};

/** Whatever a receiver took, as often as it did. */
export function takings({ arrivals, mailed }: Pick<Evidence, 'arrivals' | 'mailed'>): Mailed[] {
  return [...arrivals.filter(({ status }) => status !== null && status < 300), ...mailed];
}
