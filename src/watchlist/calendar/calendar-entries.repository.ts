import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type EntryDetails, EntryReader } from '../entries/entry-reader.repository.js';
import type { Intent } from '../domain/entry-settings.js';

export interface CalendarFilter {
  /** An entry must have all of them. */
  readonly tags: readonly string[];
  /** null: any. */
  readonly intent: Intent | null;
}

/** What a calendar program still reads without trouble. What expires first comes first. */
const MAX_CALENDAR_ENTRIES = 2_000;

const IS_WANTED = `e.account_id = $1 and e.tags @> $2::text[] and ($3::text is null or e.intent = $3)`;
/** Each part by an index of its order, but the days of one's own: they are few, and among the names without a date. */
const IDS = {
  name: 'calendar_entries',
  text: `
    (select e.id, e.expires_at as at from watch_entries e
       where ${IS_WANTED} and e.expires_at between $4 and $5 order by e.expires_at limit ${MAX_CALENDAR_ENTRIES})
    union
    (select e.id, e.expires_at from watch_entries e
       where ${IS_WANTED} and e.status in ('expiring', 'pending_delete') limit ${MAX_CALENDAR_ENTRIES})
    union
    (select e.id, e.expires_at from watch_entries e
       where ${IS_WANTED} and e.expires_at is null and e.renewal is not null limit ${MAX_CALENDAR_ENTRIES})
    order by at nulls first, id limit ${MAX_CALENDAR_ENTRIES}`,
};

@Injectable()
export class CalendarEntryReader {
  constructor(
    private readonly statements: SqlClient,
    private readonly entries: EntryReader,
  ) {}

  /** Entries with a date between these two, in the order of their ids. */
  async find(accountId: string, filter: CalendarFilter, from: Date, until: Date): Promise<readonly EntryDetails[]> {
    const { tags, intent } = filter;
    const found = await this.statements.run<{ id: string }>(IDS, [accountId, tags, intent, from, until]);
    if (found.length === 0) return [];
    const entries = await this.entries.findAllDetails(
      accountId,
      found.map(({ id }) => id),
    );
    return entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }
}
