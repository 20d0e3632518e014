import type { Delivery, Interval, RecordChange } from '../../../../clients/typescript/src/index.js';

/** Something that happened to a name, or a message about it. */
export type Chapter =
  | {
      readonly kind: 'status';
      readonly at: string;
      readonly interval: Interval;
      readonly before: Interval['phase'] | null;
    }
  | { readonly kind: 'record'; readonly at: string; readonly change: RecordChange }
  | { readonly kind: 'told'; readonly at: string; readonly deliveries: readonly [Delivery, ...Delivery[]] };

interface Parts {
  /** Each newest first. */
  readonly intervals: readonly Interval[];
  readonly changes: readonly RecordChange[];
  readonly deliveries: readonly Delivery[];
}

/** Status, record and messages as one story, newest first. All messages about one event are one chapter. */
export function toStory({ intervals, changes, deliveries }: Parts): readonly Chapter[] {
  const told = Map.groupBy(deliveries, ({ event_id: event }) => event);
  const chapters: readonly Chapter[] = [
    ...[...told.values()].flatMap(([first, ...others]) =>
      first ? [{ kind: 'told' as const, at: first.created_at, deliveries: [first, ...others] as const }] : [],
    ),
    ...changes.map((change) => ({ kind: 'record' as const, at: change.confirmed_at, change })),
    ...intervals.map((interval, index) => ({
      kind: 'status' as const,
      at: interval.first_seen_at,
      interval,
      before: intervals[index + 1]?.phase ?? null,
    })),
  ];
  return chapters.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/**
 * Reads the newest of a list that has pages, in pages as large as the API allows.
 * @param read a page, counted from 1
 */
export async function readNewest<Row>(
  wanted: number,
  read: (
    page: number,
    perPage: number,
  ) => Promise<{ readonly data: readonly Row[]; readonly meta: { readonly total: number } }>,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const perPage = Math.min(wanted, MAX_PER_PAGE);
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await read(page, perPage);
    rows.push(...data);
    if (rows.length >= wanted || rows.length >= meta.total || data.length === 0) return { rows, total: meta.total };
  }
}

const MAX_PER_PAGE = 100;
