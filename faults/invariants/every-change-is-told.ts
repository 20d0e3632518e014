import type { EventRow, Evidence, Finding, Invariant, Watch } from '../evidence.js';

/** What a move between two statuses is called, when no date says otherwise. */
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
 * A name's truth changed only after its last change was shown to all who watch it: so each change was told to each of
 * them, once, in order, under the next number and the right word.
 */
export const everyChangeIsTold: Invariant = {
  name: 'I1',
  says: 'every change is told to everybody once, in order and without a gap',
  judge(evidence: Evidence): Finding {
    const moves = Map.groupBy(
      evidence.events.filter(({ data, type }) => type.startsWith('watchlist.') && data.move !== null),
      ({ entryId }) => entryId,
    );
    const violations = evidence.watches.flatMap((watch) => judged(watch, evidence, moves.get(watch.id) ?? []));
    const changes = [...evidence.truths.values()].reduce((sum, spells) => sum + spells.length - 1, 0);
    return { about: `${changes} changes of truth, ${evidence.watches.length} entries`, violations };
  },
};

function judged({ id, domain, status }: Watch, { truths }: Evidence, moves: readonly EventRow[]): string[] {
  const states = (truths.get(domain) ?? []).map(({ state }) => state);
  const path = [status, ...states].filter((state, i, all) => state !== all[i - 1]);
  const wanted = path.slice(1).map((state, i) => `${i + 1} ${wordFor(path, i, status !== states[0])} ${state}`);
  const told = moves.map(({ data }) => `${data.change_seq} ${data.move} ${data.status}`);
  if (wanted.join() === told.join()) return [];
  return [`${domain} (${id}): wanted [${wanted.join(', ')}], told [${told.join(', ')}]`];
}

/** @param discovers whether the first proof differed from what the entry began with */
function wordFor(path: readonly string[], i: number, discovers: boolean): string {
  if (i === 0 && discovers) return 'discovered';
  return MOVES[`${path[i]} ${path[i + 1]}`] ?? 'impossible';
}
