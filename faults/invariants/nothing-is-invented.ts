import type { EntryRow, EventRow, Evidence, Finding, Invariant } from '../evidence.js';
import { type Spell, wasSo } from '../truth.js';

/** By how much the clocks of processes may differ on a busy machine; milliseconds. */
const SKEW = 1_500;

/** No event without a change, no status without its event, and no status, told or checked, that was never true. */
export const nothingIsInvented: Invariant = {
  name: 'I2',
  says: 'no status was ever told that was not so, and entries show what was told last',
  judge(evidence: Evidence): Finding {
    const moves = evidence.events.filter(({ data, entryId }) => entryId !== null && data.move !== null);
    const perEntry = Map.groupBy(moves, ({ entryId }) => entryId);
    const intervals = Map.groupBy(evidence.history, ({ entryId }) => entryId);
    const began = new Map(evidence.watches.map(({ id, status }) => [id, status]));
    const domains = new Map(evidence.entries.map(({ id, domain }) => [id, domain]));
    return {
      about: `${moves.length} moves, ${evidence.checked.length} live checks`,
      violations: [
        ...moves.flatMap((event) => untrue(event, evidence.truths.get(domains.get(event.entryId ?? '') ?? ''))),
        ...evidence.entries.flatMap((entry) => outOfStep(entry, perEntry.get(entry.id) ?? [], began.get(entry.id))),
        ...evidence.entries.flatMap((entry) => unremembered(entry, intervals.get(entry.id)?.length ?? 0)),
        ...falseChecks(evidence),
      ],
    };
  },
};

function untrue({ id, data }: EventRow, spells: readonly Spell[] | undefined): string[] {
  if (!spells) return []; // of a name whose truth never changes; or the entry is gone
  const seen = [data.observed_at, data.confirmed_at].map((at) => Date.parse(at ?? ''));
  const wrong = seen.filter((at) => !wasSo(spells, data.status, at - SKEW, at + SKEW));
  return wrong.map((at) => `${id} tells ${data.status}, which was not so at ${new Date(at).toISOString()}`);
}

function outOfStep({ id, domain, status, changeSeq }: EntryRow, moves: readonly EventRow[], began?: string): string[] {
  const last = moves.at(-1)?.data.status ?? began ?? status;
  if (last === status && moves.length === changeSeq) return [];
  return [`${domain} (${id}) is ${status} after ${changeSeq} changes; ${moves.length} were told, the last ${last}`];
}

/** The history has an interval for the beginning, if it began as it looked, and one for each change. */
function unremembered({ id, domain, changeSeq }: EntryRow, intervals: number): string[] {
  if (intervals === changeSeq || intervals === changeSeq + 1) return [];
  return [`${domain} (${id}) changed ${changeSeq} times, and its history has ${intervals} intervals`];
}

function falseChecks({ checked, truths, hearsay }: Evidence): string[] {
  return checked.flatMap(({ name, status, from, to }) => {
    const said = [...(truths.get(name) ?? []), ...(hearsay.get(name) ?? [])];
    if (wasSo(said, status, from - SKEW, to)) return [];
    return [`a check of ${name} answered ${status} at ${new Date(to).toISOString()}, which nobody said`];
  });
}
