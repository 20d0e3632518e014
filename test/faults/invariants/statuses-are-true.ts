import {
  CLOCK_SKEW_MS,
  type EntryRow,
  type EventRow,
  type FinalState,
  type InvariantResult,
  type Invariant,
} from '../results/final-state.js';
import { type StateSpan, wasTrue } from '../world/registry-state.js';

/** No event without a change, no status without its event, and no reported status that was never true. */
export const statusesAreTrue: Invariant = {
  name: 'I2',
  description: 'no reported status was false, and entries show the last published one',
  check(state: FinalState): InvariantResult {
    const moves = state.events.filter(({ data, entryId }) => entryId !== null && data.move !== null);
    const perEntry = Map.groupBy(moves, ({ entryId }) => entryId);
    const intervals = Map.groupBy(state.history, ({ entryId }) => entryId);
    const began = new Map(state.watchedEntries.map(({ id, status }) => [id, status]));
    const domains = new Map(state.entries.map(({ id, domain }) => [id, domain]));
    const earlyMs = moves.map((event) =>
      earlyByMs(event, state.registryStates.get(domains.get(event.entryId ?? '') ?? '')),
    );
    return {
      summary: `${moves.length} moves, at most ${Math.max(0, ...earlyMs)} ms before the registry's; ${state.checks.length} live checks`,
      violations: [
        ...moves.flatMap((event) =>
          findFalseEvents(event, state.registryStates.get(domains.get(event.entryId ?? '') ?? '')),
        ),
        ...state.entries.flatMap((entry) =>
          findEntryMismatch(entry, perEntry.get(entry.id) ?? [], began.get(entry.id)),
        ),
        ...state.entries.flatMap((entry) => findHistoryGap(entry, intervals.get(entry.id)?.length ?? 0)),
        ...findFalseChecks(state),
      ],
    };
  },
};

function findFalseEvents({ id, data }: EventRow, spells: readonly StateSpan[] | undefined): string[] {
  if (!spells) return []; // its registry state never changes, or the entry was removed
  const seen = [data.observed_at, data.confirmed_at].map((at) => Date.parse(at ?? ''));
  const wrong = seen.filter((at) => !wasTrue(spells, data.status, at - CLOCK_SKEW_MS, at + CLOCK_SKEW_MS));
  return wrong.map((at) => `${id} reports ${data.status}, which was false at ${new Date(at).toISOString()}`);
}

/** By how much a move was observed before the registry made it, in milliseconds: a clock was behind. */
function earlyByMs({ data }: EventRow, spells: readonly StateSpan[] = []): number {
  const at = Date.parse(data.observed_at ?? '');
  if (wasTrue(spells, data.status, at, at)) return 0;
  const next = spells.find(({ state, from }) => state === data.status && from > at && from <= at + CLOCK_SKEW_MS);
  return next ? Math.round(next.from - at) : 0;
}

function findEntryMismatch(
  { id, domain, status, changeSeq }: EntryRow,
  moves: readonly EventRow[],
  began?: string,
): string[] {
  const last = moves.at(-1)?.data.status ?? began ?? status;
  if (last === status && moves.length === changeSeq) return [];
  return [
    `${domain} (${id}) is ${status} after ${changeSeq} changes; ${moves.length} were published, the last ${last}`,
  ];
}

/** The history has one interval per change, and one for the start unless the first check corrected it. */
function findHistoryGap({ id, domain, changeSeq }: EntryRow, intervals: number): string[] {
  if (intervals === changeSeq || intervals === changeSeq + 1) return [];
  return [`${domain} (${id}) changed ${changeSeq} times, and its history has ${intervals} intervals`];
}

function findFalseChecks({ checks: checked, registryStates: truths, falseAnswers: hearsay }: FinalState): string[] {
  return checked.flatMap(({ name, status, from, to }) => {
    const said = [...(truths.get(name) ?? []), ...(hearsay.get(name) ?? [])];
    if (wasTrue(said, status, from - CLOCK_SKEW_MS, to)) return [];
    return [`a check of ${name} answered ${status} at ${new Date(to).toISOString()}, which no registry answered`];
  });
}
