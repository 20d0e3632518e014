import {
  CLOCK_SKEW_MS,
  type EventRow,
  type FinalState,
  type InvariantResult,
  type Invariant,
  type ListedChange,
} from '../results/final-state.js';
import { RECORD_KINDS, type RecordKind } from '../world/held-record.js';
import type { RecordSpan } from '../world/record-history.js';

/** These are confirmed by the parent zone. */
const DELEGATION_KINDS: readonly RecordKind[] = ['nameservers', 'ds'];

/** An event's report about a record. */
interface ReportedChange {
  readonly id: string;
  readonly kind: RecordKind;
  readonly before: unknown;
  readonly after: unknown;
  readonly observedAt: number;
  readonly confirmedAt: number;
}

/**
 * The record of a registration changes only after its last change is shown, so each change is published once for each
 * entry. While a name passes through its lifecycle its record may change again before that; then none is demanded, and
 * what is published has to be true all the same.
 */
export const recordChangesAreTrue: Invariant = {
  name: 'I9',
  description: 'every change of a record is published and listed once per entry, and none that was not one',
  check(state: FinalState): InvariantResult {
    const perEntry = Map.groupBy(
      state.events.filter(({ type }) => type === 'watchlist.record_changed'),
      ({ entryId }) => entryId,
    );
    const events = [...perEntry.values()].reduce((sum, { length }) => sum + length, 0);
    const violations = state.watchedEntries.flatMap(({ id, domain }) => {
      const spans = state.recordHistories.get(domain) ?? [];
      const published = (perEntry.get(id) ?? []).map(toReportedChange);
      const listed = state.listedChanges.get(id) ?? [];
      return [
        ...RECORD_KINDS.flatMap((kind) => findInvented(published, kind, spans)),
        ...(state.recordNames.includes(domain) ? findLost(published, spans) : []),
        ...findUnlisted(published, listed),
      ].map((violation) => `${domain} (${id}): ${violation}`);
    });
    const changes = state.recordNames.reduce(
      (sum, name) => sum + (state.recordHistories.get(name)?.length ?? 1) - 1,
      0,
    );
    return { summary: `${changes} changes of records, ${events} events`, violations };
  },
};

/** Each event is a change that the registry made in one registration, later than that of the event before. */
function findInvented(published: readonly ReportedChange[], kind: RecordKind, spans: readonly RecordSpan[]): string[] {
  let last = 0;
  return published
    .filter((change) => change.kind === kind)
    .flatMap((change) => {
      const possible = spans.flatMap((_, i) => (i > last && isChange(change, spans, i) ? [i] : []));
      if (possible.length === 0) return [`${describe(change)}, which no registry changed`];
      const at = possible.find((i) => isTimely(change, spans, i));
      if (at === undefined) return [`${describe(change)} at a time when that was not so`];
      last = at;
      return [];
    });
}

function isChange({ kind, before, after }: ReportedChange, spans: readonly RecordSpan[], i: number): boolean {
  const start = spans.findLastIndex(({ values }, earlier) => earlier < i && values === null) + 1;
  return (
    isEqual(spans[i]?.values?.[kind], after) &&
    spans.slice(start, i).some(({ values }) => isEqual(values?.[kind], before))
  );
}

/** Name servers and DS records count from when the parent zone has them. */
function isTimely(change: ReportedChange, spans: readonly RecordSpan[], i: number): boolean {
  const since = spans[i];
  if (!since) return false;
  const end = spans.slice(i).find(({ values }) => !isEqual(values?.[change.kind], change.after))?.from ?? Infinity;
  const from = DELEGATION_KINDS.includes(change.kind) ? (since.publishedAt ?? Infinity) : since.from;
  const isWithin = (at: number, begin: number) => at >= begin - CLOCK_SKEW_MS && at <= end + CLOCK_SKEW_MS;
  return isWithin(change.observedAt, since.from) && isWithin(change.confirmedAt, from);
}

function findLost(published: readonly ReportedChange[], spans: readonly RecordSpan[]): string[] {
  return RECORD_KINDS.flatMap((kind) => {
    const path = spans.map(({ values }) => JSON.stringify(values?.[kind]));
    const expected = path.flatMap((value, i) => (i > 0 && value !== path[i - 1] ? [`${path[i - 1]} to ${value}`] : []));
    const actual = published
      .filter((change) => change.kind === kind)
      .map(({ before, after }) => `${JSON.stringify(before)} to ${JSON.stringify(after)}`);
    if (expected.join() === actual.join()) return [];
    return [`${kind}: expected [${expected.join(', ')}], published [${actual.join(', ')}]`];
  });
}

function findUnlisted(published: readonly ReportedChange[], listed: readonly ListedChange[]): string[] {
  const texts = published.map(({ id: _, ...change }) => JSON.stringify(change)).toSorted();
  const shown = listed
    .map(({ kind, before, after, first_seen_at, confirmed_at }) => {
      const times = { observedAt: Date.parse(first_seen_at), confirmedAt: Date.parse(confirmed_at) };
      return JSON.stringify({ kind, before, after, ...times });
    })
    .toSorted();
  if (texts.join() === shown.join()) return [];
  return [`published [${texts.join(', ')}], listed [${shown.join(', ')}]`];
}

function toReportedChange({ id, data }: EventRow): ReportedChange {
  const { kind = 'nameservers', before, after, observed_at, confirmed_at } = data;
  const [observedAt, confirmedAt] = [Date.parse(observed_at ?? ''), Date.parse(confirmed_at ?? '')];
  return { id, kind, before, after, observedAt, confirmedAt };
}

function describe({ id, kind, before, after }: ReportedChange): string {
  return `${id} reports ${kind} ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
