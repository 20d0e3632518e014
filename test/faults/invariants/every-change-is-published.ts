import type { EventRow, FinalState, InvariantResult, Invariant, WatchedEntry } from '../results/final-state.js';

/** The move between two statuses, unless a date decides. */
const MOVES: Readonly<Record<string, string>> = {
  'registered expiring': 'expiring',
  'registered pending_delete': 'deletion_started',
  'registered available': 'dropped',
  'expiring registered': 'renewed',
  'expiring pending_delete': 'deletion_started',
  'pending_delete available': 'dropped',
  'pending_delete registered': 'restored',
  'available registered': 'caught',
};

/**
 * A name changes only after every entry shows its last change. So each change is published once for each entry, in
 * order, with the next number and the right move.
 */
export const everyChangeIsPublished: Invariant = {
  name: 'I1',
  description: 'every change is published to every entry once, in order and without a gap',
  check(state: FinalState): InvariantResult {
    const moves = Map.groupBy(
      state.events.filter(({ data, type }) => type.startsWith('watchlist.') && data.move !== null),
      ({ entryId }) => entryId,
    );
    const violations = state.watchedEntries.flatMap((watch) => checkEntry(watch, state, moves.get(watch.id) ?? []));
    const changes = [...state.registryStates.values()].reduce((sum, spells) => sum + spells.length - 1, 0);
    return { summary: `${changes} registry changes, ${state.watchedEntries.length} entries`, violations };
  },
};

function checkEntry(
  { id, domain, status }: WatchedEntry,
  { registryStates: truths }: FinalState,
  moves: readonly EventRow[],
): string[] {
  const states = (truths.get(domain) ?? []).map(({ state }) => state);
  const path = [status, ...states].filter((state, i, all) => state !== all[i - 1]);
  const expected = path.slice(1).map((state, i) => `${i + 1} ${moveFor(path, i, status !== states[0])} ${state}`);
  const published = moves.map(({ data }) => `${data.change_seq} ${data.move} ${data.status}`);
  if (expected.join() === published.join()) return [];
  return [`${domain} (${id}): expected [${expected.join(', ')}], published [${published.join(', ')}]`];
}

/** @param discovers whether the first check corrected the status the entry started with */
function moveFor(path: readonly string[], i: number, discovers: boolean): string {
  if (i === 0 && discovers) return 'discovered';
  return MOVES[`${path[i]} ${path[i + 1]}`] ?? 'impossible';
}
