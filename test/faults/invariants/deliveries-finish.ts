import type { FinalState, InvariantResult, Invariant } from '../results/final-state.js';
import type { MailedEvent } from '../world/mail-server.js';

const FINAL_STATES = new Set(['delivered', 'failed', 'paused', 'disabled']);

export const deliveriesFinish: Invariant = {
  name: 'I4',
  description: 'every delivery was attempted and finished, and what is marked delivered was accepted',
  check(state: FinalState): InvariantResult {
    const { deliveries, attempts, channelLabels: standing, unfinished: unrest, entries, events } = state;
    const watched = new Set(entries.map(({ id }) => id));
    const ofWatched = new Set(events.filter(({ entryId }) => watched.has(entryId ?? '')).map(({ id }) => id));
    const tries = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    const taken = new Set(acceptedEvents(state).map(({ event, channel }) => `${event} ${channel}`));
    const violations = deliveries.flatMap(({ id, eventId, channelId, state }) => {
      const label = standing.get(channelId);
      if (!FINAL_STATES.has(state)) return [`${id} is still ${state}`];
      if (state === 'disabled' && !ofWatched.has(eventId)) return []; // its entry was removed before it was sent
      if (!tries.has(id)) return [`${id} is ${state} without an attempt`];
      if (state !== 'delivered') return [`${id} is ${state}, though its receiver accepts everything in the end`];
      if (label !== undefined && !taken.has(`${eventId} ${label}`))
        return [`${id} is marked delivered, and ${label} never accepted ${eventId}`];
      return [];
    });
    const open = attempts.filter(({ outcome }) => outcome === null);
    const unended = open.map(({ deliveryId, number }) => `attempt ${number} of ${deliveryId} never ended`);
    return {
      summary: `${deliveries.length} deliveries, ${attempts.length} attempts`,
      violations: [...violations, ...unended, ...unrest],
    };
  },
};

/** Every accepted event, duplicates included. */
export function acceptedEvents({ arrivals, mailed }: Pick<FinalState, 'arrivals' | 'mailed'>): MailedEvent[] {
  return [...arrivals.filter(({ status }) => status !== null && status < 300), ...mailed];
}
