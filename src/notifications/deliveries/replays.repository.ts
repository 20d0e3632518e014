import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';

/** A range of a channel's deliveries, by the times of their events, both included. */
interface ReplayRange {
  readonly from: Date;
  readonly to: Date;
}

interface NewReplay extends ReplayRange {
  readonly channelId: string;
  /** When the first attempts are due. */
  readonly requestedAt: Date;
}

/** `created_at` of a delivery is the time of its event. */
const COUNT = {
  name: 'delivery_replays_count',
  text: `select count(*)::int as found from (
           select from deliveries
           where channel_id = $1 and state <> 'pending' and created_at between $2 and $3 limit $4) as found`,
};
const ABANDONED = {
  name: 'delivery_replays_abandoned',
  text: `select id from delivery_replays where advanced_at < now() - make_interval(secs => $1) order by requested_at`,
};

interface StoredReplay {
  readonly requested_at: string;
  readonly range_to: string;
  readonly last_created_at: string;
  readonly last_id: string;
}

/** Ranges that are being sent again, in short transactions of their own; they survive the process that began them. */
@Injectable()
export class ReplayRepository {
  constructor(private readonly statements: SqlClient) {}

  /** How many deliveries of the range are not pending; counts no further than one above the limit. */
  async count(channelId: string, { from, to }: ReplayRange, limit: number): Promise<number> {
    const [counted] = await this.statements.run<{ found: number }>(COUNT, [channelId, from, to, limit + 1]);
    return counted?.found ?? 0;
  }

  /** Runs inside a unit of work. @returns its id */
  async start({ channelId, from, to, requestedAt }: NewReplay): Promise<string> {
    const id = randomUUID();
    await this.statements.run(sql`
      insert into delivery_replays (id, channel_id, range_from, range_to, requested_at, last_created_at, last_id)
      values (${id}, ${channelId}, ${from}, ${to}, ${requestedAt}, ${from}, '')`);
    return id;
  }

  /** Redelivers what is not pending of the next deliveries; inside a unit of work. @returns false when none is left */
  async advance(id: string, limit: number): Promise<boolean> {
    const replay = await this.lock(id);
    if (!replay) return false;
    const rows = await this.statements.run<{ created_at: string; id: string }>(sql`
      with following as (
        select d.id, d.created_at from deliveries d
        where channel_id = (select channel_id from delivery_replays where id = ${id})
          and created_at >= ${replay.last_created_at}::timestamptz and created_at <= ${replay.range_to}::timestamptz
          and (created_at, id) > (${replay.last_created_at}::timestamptz, ${replay.last_id})
        order by d.created_at, d.id limit ${limit}),
      repeated as (
        update deliveries set state = 'pending', failures = 0, urgent = false,
          next_attempt_at = ${replay.requested_at}::timestamptz
        from following where deliveries.id = following.id and deliveries.state <> 'pending')
      select f.created_at::text, f.id from following f order by f.created_at desc, f.id desc limit 1`);
    const [last] = rows;
    if (last)
      await this.statements.run(sql`
        update delivery_replays
        set last_created_at = ${last.created_at}::timestamptz, last_id = ${last.id}, advanced_at = now()
        where id = ${id}`);
    else await this.statements.run(sql`delete from delivery_replays where id = ${id}`);
    return last !== undefined;
  }

  /** Replays that made no progress for so many seconds. */
  async findAbandoned(seconds: number): Promise<readonly string[]> {
    return (await this.statements.run<{ id: string }>(ABANDONED, [seconds])).map(({ id }) => id);
  }

  /** Lock order: channels before deliveries, and before the replays that are deleted with them. */
  private async lock(id: string): Promise<StoredReplay | null> {
    await this.statements.run(sql`
      select from notification_channels where id = (select channel_id from delivery_replays where id = ${id})
      for no key update`);
    const rows = await this.statements.run<StoredReplay>(sql`
      select requested_at::text, range_to::text, last_created_at::text, last_id from delivery_replays
      where id = ${id} for update`);
    return rows[0] ?? null;
  }
}
