import type { Evidence } from '../evidence.js';

/** By how much the clocks of processes may differ on a busy machine; milliseconds. */
const SKEW = 1_500;

/** An entry that was removed makes no event, and nothing more is sent about it but what was under way. */
export function toldAfterRemoval({ deeds, events, deliveries, attempts }: Evidence): string[] {
  const removals = new Map(deeds.map(({ id, removedAt }) => [id, removedAt]));
  const removedAt = (entryId: string | null) => removals.get(entryId) ?? Infinity;
  const entries = new Map(events.map(({ id, entryId }) => [id, entryId]));
  const subjects = new Map(deliveries.map(({ id, eventId }) => [id, entries.get(eventId) ?? null]));
  return [
    ...events
      .filter(({ entryId, createdAt }) => createdAt.getTime() > removedAt(entryId) + SKEW)
      .map(({ id, entryId }) => `${entryId} was removed, and ${id} was made of it after that`),
    ...attempts
      .filter(({ deliveryId, startedAt }) => startedAt.getTime() > removedAt(subjects.get(deliveryId) ?? null) + SKEW)
      .map(({ deliveryId, number }) => `attempt ${number} of ${deliveryId} was begun after its entry was removed`),
  ];
}
