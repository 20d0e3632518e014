import type { Delivery, Interval, RecordChange } from '../../../../clients/typescript/src/index.js';

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
  /** Each list has the newest first. */
  readonly intervals: readonly Interval[];
  readonly changes: readonly RecordChange[];
  readonly deliveries: readonly Delivery[];
}

/** Merges status, record and messages, newest first. All messages about one event become one item. */
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

/** Reads the newest rows of a paged list, in pages as large as the API allows. */
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
