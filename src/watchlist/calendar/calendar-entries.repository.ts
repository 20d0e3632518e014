import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type EntryDetails, EntryReader } from '../entries/entry-reader.repository.js';
import { NEEDS_OF_TODAY } from '../domain/calendar.js';
import type { Purpose } from '../domain/entry-settings.js';
import { toFilters } from '../domain/needs.js';
import { toConditions } from '../entries/entry-filters.sql.js';

export interface CalendarFilter {
  readonly tags: readonly string[];
  readonly purpose: Purpose | null;
}

interface Span {
  readonly from: Date;
  readonly until: Date;
  readonly now: Date;
}

/** How many entries a calendar file has at most. Calendar programs have trouble with more entries. */
const MAX_CALENDAR_ENTRIES = 2_000;

/**
 * SQL for the entries that have a date. The first two selects read an index. The third select needs no index, because
 * few entries have a renewal date.
 */
const DATED = (isWanted: string) => `
    (select e.id, e.expires_at as at from watch_entries e
       where ${isWanted} and e.expires_at between $4 and $5 order by e.expires_at limit ${MAX_CALENDAR_ENTRIES})
    union
    (select e.id, e.expires_at from watch_entries e
       where ${isWanted} and e.status = 'pending_delete' limit ${MAX_CALENDAR_ENTRIES})
    union
    (select e.id, e.expires_at from watch_entries e
       where ${isWanted} and e.expires_at is null and e.renewal is not null limit ${MAX_CALENDAR_ENTRIES})`;
const IS_WANTED = `e.tags @> $2::text[] and ($3::text is null or e.purpose = $3)`;

@Injectable()
export class CalendarEntryReader {
  constructor(
    private readonly statements: SqlClient,
    private readonly entries: EntryReader,
  ) {}

  /** Returns the entries that have a date in the span or need action now. */
  async find(accountId: string, filter: CalendarFilter, { from, until, now }: Span): Promise<readonly EntryDetails[]> {
    const values: unknown[] = [accountId, filter.tags, filter.purpose, from, until];
    const needs = NEEDS_OF_TODAY.map((need) => {
      const { where } = toConditions({ accountId, ...toFilters(need, now) }, values);
      return `(select e.id, e.expires_at from watch_entries e where ${where} and ${IS_WANTED} limit ${MAX_CALENDAR_ENTRIES})`;
    });
    const parts = [DATED(`e.account_id = $1 and ${IS_WANTED}`), ...needs].join(' union ');
    const text = `${parts} order by at nulls first, id limit ${MAX_CALENDAR_ENTRIES}`;
    const found = await this.statements.run<{ id: string }>({ name: 'calendar_entries', text }, values);
    if (found.length === 0) return [];
    const entries = await this.entries.findAllDetails(
      accountId,
      found.map(({ id }) => id),
    );
    return entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }
}
