import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type EntryDetails, EntryReader } from '../entries/entry-reader.repository.js';
import { NEEDS_OF_TODAY } from '../domain/calendar.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { toConditions, toNeedCondition } from '../entries/entry-filters.sql.js';

export type CalendarFilter = Pick<EntryFilters, 'tags' | 'purpose'>;

interface Span {
  readonly from: Date;
  readonly until: Date;
  readonly now: Date;
}

/** How many entries a calendar file has at most. Calendar programs have trouble with more entries. */
const MAX_CALENDAR_ENTRIES = 2_000;

@Injectable()
export class CalendarEntryReader {
  constructor(
    private readonly statements: SqlClient,
    private readonly entries: EntryReader,
  ) {}

  /** Returns the entries that expire or have to be renewed in the span, need action now, or are being deleted. */
  async find(accountId: string, filter: CalendarFilter, { from, until, now }: Span): Promise<readonly EntryDetails[]> {
    const values: unknown[] = [accountId];
    const { where: isWanted } = toConditions({ accountId, ...filter }, values);
    const bindDay = (time: Date) => `$${values.push(time.toISOString().slice(0, 10))}`;
    const having = [
      toConditions({ accountId, expires: [from, until] }, values).where,
      toConditions({ accountId, status: 'pending_delete' }, values).where,
      `e.expires_at is null and e.renewal::jsonb ->> 'on' between ${bindDay(from)} and ${bindDay(until)}`,
      ...NEEDS_OF_TODAY.map((need) => toNeedCondition(need, now, values)),
    ];
    const parts = having.map(
      (condition) =>
        `(select e.id, e.expires_at from watch_entries e where ${isWanted} and ${condition}
            order by e.expires_at nulls first limit ${MAX_CALENDAR_ENTRIES})`,
    );
    const text = `${parts.join(' union ')} order by expires_at nulls first, id limit ${MAX_CALENDAR_ENTRIES}`;
    const found = await this.statements.run<{ id: string }>({ name: '', text }, values);
    if (found.length === 0) return [];
    const entries = await this.entries.findAllDetails(
      accountId,
      found.map(({ id }) => id),
    );
    return entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }
}
