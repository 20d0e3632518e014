import { CLOCK_SKEW_MS, type FinalState, type InvariantResult, type Invariant } from '../results/final-state.js';
import type { ClientAction } from '../clients/client-log.js';

export const acknowledgedWritesPersist: Invariant = {
  name: 'I7',
  description: 'acknowledged writes persist, others are atomic, and retries do not duplicate',
  check(state: FinalState): InvariantResult {
    const there = new Map<ClientAction['kind'], Map<string, string[]>>([
      ['entry', idsBy(state.entries, ({ domain }) => domain)],
      ['channel', idsBy(state.channels, ({ target }) => target)],
      ['key', idsBy(state.keys, ({ name }) => name)],
    ]);
    const violations = state.actions.flatMap((deed) =>
      checkAction(deed, there.get(deed.kind)?.get(deed.subject) ?? []),
    );
    const halves = state.inconsistentNames.map(
      (domain) => `${domain} is watched without a schedule or scheduled without an entry`,
    );
    return {
      summary: `${state.actions.length} additions, ${state.actions.filter(({ removed }) => removed !== 'no').length} removals`,
      violations: [...violations, ...halves, ...findEventsAfterRemoval(state), ...state.unexpectedResponses],
    };
  },
};

function checkAction({ kind, subject, id, added, removed }: ClientAction, ids: readonly string[]): string[] {
  const what = `the ${kind} ${subject}`;
  if (ids.length > 1) return [`${what} exists ${ids.length} times`];
  if (removed === 'answered' && ids.length > 0) return [`${what} was removed and still exists`];
  if (added === 'answered' && removed === 'no' && ids[0] !== id)
    return [`${what} was added as ${id} and does not exist`];
  return [];
}

function idsBy<Row extends { readonly id: string }>(
  rows: readonly Row[],
  subject: (row: Row) => string,
): Map<string, string[]> {
  return new Map([...Map.groupBy(rows, subject)].map(([key, same]) => [key, same.map(({ id }) => id)]));
}

/** After an entry is removed, no event is created and no attempt is started for it. */
function findEventsAfterRemoval({ actions: deeds, events, deliveries, attempts }: FinalState): string[] {
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
