import type { Evidence, Finding, Invariant } from '../evidence.js';
import type { Deed } from '../ledger.js';
import { toldAfterRemoval } from './removed-is-silent.js';

export const answersAreKept: Invariant = {
  name: 'I7',
  says: 'what was answered with success is so and stays so, what was not is whole or not at all, and repeats make one',
  judge(evidence: Evidence): Finding {
    const there = new Map<Deed['kind'], Map<string, string[]>>([
      ['entry', idsBy(evidence.entries, ({ domain }) => domain)],
      ['channel', idsBy(evidence.channels, ({ target }) => target)],
      ['key', idsBy(evidence.keys, ({ name }) => name)],
    ]);
    const violations = evidence.deeds.flatMap((deed) => judged(deed, there.get(deed.kind)?.get(deed.subject) ?? []));
    const halves = evidence.halves.map((domain) => `${domain} is watched by halves`);
    return {
      about: `${evidence.deeds.length} additions, ${evidence.deeds.filter(({ removed }) => removed !== 'no').length} removals`,
      violations: [...violations, ...halves, ...toldAfterRemoval(evidence), ...evidence.wrongAnswers],
    };
  },
};

function judged({ kind, subject, id, added, removed }: Deed, ids: readonly string[]): string[] {
  const what = `the ${kind} ${subject}`;
  if (ids.length > 1) return [`${what} is there ${ids.length} times`];
  if (removed === 'answered' && ids.length > 0) return [`${what} was removed, and is there`];
  if (added === 'answered' && removed === 'no' && ids[0] !== id)
    return [`${what} was added as ${id}, and is not there`];
  return [];
}

function idsBy<Row extends { readonly id: string }>(
  rows: readonly Row[],
  subject: (row: Row) => string,
): Map<string, string[]> {
  return new Map([...Map.groupBy(rows, subject)].map(([key, same]) => [key, same.map(({ id }) => id)]));
}
