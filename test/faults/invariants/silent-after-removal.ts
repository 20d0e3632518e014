import type { FinalState } from '../results/final-state.js';

/** By how much the clocks of processes may differ on a busy machine; milliseconds. */
const CLOCK_SKEW_MS = 1_500;

/** After an entry is removed, no event is created and no attempt is started for it. */
export function findEventsAfterRemoval({ actions: deeds, events, deliveries, attempts }: FinalState): string[] {
  const removals = new Map(deeds.map(({ id, removedAt }) => [id, removedAt]));
  const removedAt = (entryId: string | null) => removals.get(entryId) ?? Infinity;
  const entries = new Map(events.map(({ id, entryId }) => [id, entryId]));
  const subjects = new Map(deliveries.map(({ id, eventId }) => [id, entries.get(eventId) ?? null]));
  return [
    ...events
      .filter(({ entryId, createdAt }) => createdAt.getTime() > removedAt(entryId) + CLOCK_SKEW_MS)
      .map(({ id, entryId }) => `${entryId} was removed, and ${id} was created after that`),
    ...attempts
      .filter(
        ({ deliveryId, startedAt }) =>
          startedAt.getTime() > removedAt(subjects.get(deliveryId) ?? null) + CLOCK_SKEW_MS,
      )
      .map(({ deliveryId, number }) => `attempt ${number} of ${deliveryId} was started after its entry was removed`),
  ];
}
