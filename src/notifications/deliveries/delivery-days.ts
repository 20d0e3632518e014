import { Injectable } from '@nestjs/common';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';

export const DAYS = 30;

interface DeliveriesOfDay {
  /** In UTC, such as 2026-12-01. */
  readonly day: string;
  readonly delivered: number;
  readonly failed: number;
  readonly other: number;
}

/**
 * Returns one row for each day. For a channel without deliveries, returns one row whose day is null. Returns no row if
 * the account has no such channel.
 */
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
export class DeliveryDays {
  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  /** Returns the last thirty days in UTC, ending with today. Returns null if the account has no such channel. */
  async count(accountId: string, channelId: string): Promise<DeliveriesOfDay[] | null> {
    const now = this.clock.now();
    const days = Array.from({ length: DAYS }, (_, n) => toDay(after(now, (n + 1 - DAYS) * DAY)));
    const rows = await this.statements.run<DeliveriesOfDay>(BY_DAY, [accountId, channelId, `${days[0]}T00:00:00Z`]);
    if (rows.length === 0) return null;
    return days.map((day) => rows.find((row) => row.day === day) ?? { day, delivered: 0, failed: 0, other: 0 });
  }
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
