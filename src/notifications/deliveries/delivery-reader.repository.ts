import { Injectable } from '@nestjs/common';
import type { Attempt } from '../domain/attempt.js';
import type { DeliveryState } from '../domain/delivery.js';
import { type NameChange, readNameChange } from '../domain/event-text.js';
import { after, DAY } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { SqlStatement } from '../../platform/database/sql.js';

export type AttemptRow = Pick<
  Attempt,
  'number' | 'startedAt' | 'durationMs' | 'outcome' | 'responseStatus' | 'responseExcerpt'
>;

/** A delivery as the API shows it, with its attempts and the type of its event. */
export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** null for events about channels, and for summaries. */
  readonly change: NameChange | null;
  readonly channelId: string;
  /** The account's present name for the channel. */
  readonly channelLabel: string | null;
  readonly state: DeliveryState;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** The attempts, oldest first. */
  readonly attempts: readonly AttemptRow[];
}

interface DeliveryPage {
  readonly rows: readonly DeliveryRow[];
  readonly total: number;
}

/** Only a delivery's newest attempts are shown, so that a page stays small after many redeliveries. */
const MAX_ATTEMPTS = 50;

/** The subquery `chosen` selects the deliveries of one page first, so that no other deliveries are joined in vain. */
const selectRows = (chosen: string) => `
  select d.id, d.event_id as "eventId", e.type as "eventType", e.body as "eventBody", d.channel_id as "channelId", c.label as "channelLabel", d.state,
    d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
    array(
      select json_build_object('number', number, 'startedAt', started_at, 'durationMs', duration_ms,
        'outcome', outcome, 'responseStatus', response_status, 'responseExcerpt', response_excerpt)
      from (
        select * from delivery_attempts where delivery_id = d.id order by number desc limit ${MAX_ATTEMPTS}) as last
      order by number) as attempts
  from (${chosen}) as d join events e on e.id = d.event_id join notification_channels c on c.id = d.channel_id
  order by d.created_at desc, d.id desc`;

/**
 * $1: account, $2: channel. The subquery does not depend on the delivery, so PostgreSQL evaluates the subquery once.
 */
const IN_OWN_CHANNEL = `channel_id = $2 and exists (
  select from notification_channels c where c.id = $2 and c.account_id = $1)`;
const PAGE = {
  name: 'deliveries_page',
  text: selectRows(`select * from deliveries where ${IN_OWN_CHANNEL}
                order by created_at desc, id desc limit $3 offset $4`),
};
const COUNT = {
  name: 'deliveries_count',
  text: `select (select count(*)::int from deliveries where channel_id = c.id) as total
         from notification_channels c where c.id = $2 and c.account_id = $1`,
};
/** `offset 0` makes the planner start from the events, because deliveries have no index by entry. */
const OF_ENTRY = `
  (select id from events where entry_id = $2 and account_id = $1 offset 0) as own
  cross join lateral (select * from deliveries where event_id = own.id offset 0) as sent`;
const PAGE_OF_ENTRY = {
  name: 'deliveries_of_entry',
  text: selectRows(`select sent.* from ${OF_ENTRY} order by sent.created_at desc, sent.id desc limit $3 offset $4`),
};
/** Returns no row if the account has neither the entry nor its events. A removed entry may still have events. */
const COUNT_OF_ENTRY = {
  name: 'deliveries_of_entry_count',
  text: `select (select count(*)::int from ${OF_ENTRY}) as total
         where exists (select from watch_entries where id = $2 and account_id = $1)
           or exists (select from events where entry_id = $2 and account_id = $1)`,
};
const ONE = {
  name: 'delivery_of_account',
  text: selectRows(`select d.* from deliveries d join notification_channels c on c.id = d.channel_id
                where d.id = $2 and c.account_id = $1`),
};

export const DAYS = 30;

interface DeliveriesOfDay {
  /** In UTC, such as 2026-12-01. */
  readonly day: string;
  readonly delivered: number;
  readonly failed: number;
  readonly other: number;
}

/** A channel without deliveries gives one row whose day is null. A channel that the account lacks gives none. */
const BY_DAY = {
  name: 'deliveries_by_day',
  text: `select to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
           (count(*) filter (where d.state = 'delivered'))::int as delivered,
           (count(*) filter (where d.state = 'failed'))::int as failed,
           (count(*) filter (where d.state not in ('delivered', 'failed')))::int as other
         from notification_channels c left join deliveries d on d.channel_id = c.id and d.created_at >= $3
         where c.id = $2 and c.account_id = $1 group by 1`,
};

@Injectable()
export class DeliveryReader {
  constructor(private readonly statements: SqlClient) {}

  /** Lists a channel's deliveries, newest first. Returns null if the account has no such channel. */
  page(accountId: string, channelId: string, page: number, perPage: number): Promise<DeliveryPage | null> {
    return this.readPage(PAGE, COUNT, [accountId, channelId], page, perPage);
  }

  /**
   * Lists the deliveries about an entry, newest first. Returns null if the account has neither the entry nor its
   * events.
   */
  pageOfEntry(accountId: string, entryId: string, page: number, perPage: number): Promise<DeliveryPage | null> {
    return this.readPage(PAGE_OF_ENTRY, COUNT_OF_ENTRY, [accountId, entryId], page, perPage);
  }

  async find(accountId: string, id: string): Promise<DeliveryRow | null> {
    const [row] = await this.statements.run<StoredRow>(ONE, [accountId, id]);
    return row ? toRow(row) : null;
  }

  /**
   * Counts a channel's deliveries on each of the last 30 days in UTC. Returns null if the account has no such channel.
   */
  async countByDay(accountId: string, channelId: string, now: Date): Promise<DeliveriesOfDay[] | null> {
    const days = Array.from({ length: DAYS }, (_, n) => toDay(after(now, (n + 1 - DAYS) * DAY)));
    const rows = await this.statements.run<DeliveriesOfDay>(BY_DAY, [accountId, channelId, `${days[0]}T00:00:00Z`]);
    if (rows.length === 0) return null;
    return days.map((day) => rows.find((row) => row.day === day) ?? { day, delivered: 0, failed: 0, other: 0 });
  }

  private async readPage(
    select: SqlStatement,
    count: SqlStatement,
    owner: readonly string[],
    page: number,
    perPage: number,
  ): Promise<DeliveryPage | null> {
    const [rows, [counted]] = await Promise.all([
      this.statements.run<StoredRow>(select, [...owner, perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(count, owner),
    ]);
    return counted ? { rows: rows.map(toRow), total: counted.total } : null;
  }
}

interface StoredRow extends Omit<DeliveryRow, 'change'> {
  readonly eventBody: string;
}

/** Parses the times of attempts, which arrive as strings inside JSON. */
function toRow({ eventBody, ...row }: StoredRow): DeliveryRow {
  const attempts = row.attempts.map((attempt): AttemptRow => ({ ...attempt, startedAt: new Date(attempt.startedAt) }));
  return { ...row, change: readNameChange(eventBody), attempts };
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
