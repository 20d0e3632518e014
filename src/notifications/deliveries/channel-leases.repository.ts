import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { ChannelLease } from '../domain/channel-lease.js';

/** The most locked (leased) channels at a time. A slow host can take only `perHost` of the locks. */
const LIMITS = { perHost: 5, total: 250 } as const;
/** Only one worker at a time locks channels, because two workers together could exceed the limit of a host. */
const CLAIM_LOCK = 'leases of channels';

/**
 * Jumps from channel to channel in the index (a loose index scan), so that many deliveries do not slow the search.
 *
 * - $1: now; $2: the types that this process can send; $3: the types whose receivers are people
 * - the least seconds between two messages to people: $4 for an urgent event, $5 for any other event
 */
const READY = `
  waiting (id) as (
    (select d.channel_id from deliveries d where d.state = 'pending' order by d.channel_id limit 1)
    union all
    select (select d.channel_id from deliveries d
            where d.state = 'pending' and d.channel_id > waiting.id order by d.channel_id limit 1)
    from waiting where waiting.id is not null),
  -- attempts of a crashed worker, which have to become lost
  abandoned as (select channel_id as id from channel_leases where token is not null and until <= now()),
  ready as (
    select c.id, c.account_id, c.host, l.served_at
    from (select id from waiting union select id from abandoned) found
    join notification_channels c on c.id = found.id and c.type = any($2)
    join accounts a on a.id = c.account_id and a.suspended_at is null
    left join channel_leases l on l.channel_id = c.id
    where l.until <= now() or (l.token is null and exists (
      select from deliveries d where d.channel_id = c.id and d.state = 'pending' and d.next_attempt_at <= $1
        and (c.type <> all($3) or d.failures > 0 or l.messaged_at is null or l.messaged_at > $1 -- the clock was put back
          or l.messaged_at <= $1 - make_interval(secs => case when d.urgent then $4::float8 else $5::float8 end)))))`;

/**
 * Accounts with few locked (leased) channels come first, then the channels that were served least recently.
 *
 * $1 to $5 as in READY, $6 the seconds of a lease, $7 the most leases to give
 */
export const CLAIM = {
  name: 'channels_claim',
  text: `
  with recursive ${READY},
  held as materialized (select host, account_id from channel_leases where token is not null and until > now()),
  turns as (
    select *, (select count(*) from held where held.account_id = ready.account_id)
      + row_number() over (partition by account_id order by served_at nulls first, random()) as turn
    from ready),
  places as (
    select *, (select count(*) from held where held.host = turns.host)
      + row_number() over (partition by host order by turn, served_at nulls first, random()) as place
    from turns),
  chosen as materialized (
    select * from places where place <= ${LIMITS.perHost} order by turn, served_at nulls first, random()
    limit least($7, greatest(0, ${LIMITS.total} - (select count(*) from held)))),
  -- a stalled transaction that has the row of one channel must not block the others
  unlocked as materialized (
    select channel_id from channel_leases where channel_id = any(array(select id from chosen)) for update skip locked)
  insert into channel_leases as l (channel_id, account_id, host, token, until, served_at)
  select id, account_id, host, gen_random_uuid()::text, now() + make_interval(secs => $6), clock_timestamp()
  from chosen where served_at is null or id in (select channel_id from unlocked)
  on conflict (channel_id) do update
    set host = excluded.host, token = excluded.token, until = excluded.until, served_at = excluded.served_at
    where l.token is null or l.until <= now()
  returning channel_id as "channelId", token`,
};

/** Looks for any due delivery before the slower search by channel, because usually no delivery is due. */
const IS_ANY_READY = {
  name: 'channels_is_any_ready',
  text: `
  with recursive ${READY}
  select (exists (select from deliveries where state = 'pending' and next_attempt_at <= $1)
      or exists (select from abandoned)) and exists (select from ready) as ready`,
};

/** Ends the leases of channels for which there was nothing to send. */
const RELEASE = {
  name: 'channels_release',
  text: `update channel_leases l set token = null, until = null, sending = '{}'
         from unnest($1::text[], $2::text[]) as given (channel_id, token)
         where l.channel_id = given.channel_id and l.token = given.token`,
};

/** The channel types that this process can send to. */
export interface KnownTypes {
  readonly all: readonly string[];
  /** The types whose receivers are people, such as mail. */
  readonly people: readonly string[];
  /** The least seconds between two messages to one channel of `people`. */
  readonly gaps: { readonly urgent: number; readonly routine: number };
}

/** Gives one worker at a time the right to send to a channel. */
@Injectable()
export class ChannelLeaseRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  async isAnyReady(now: Date, types: KnownTypes): Promise<boolean> {
    const [row] = await this.statements.run<{ ready: boolean }>(IS_ANY_READY, toParameters(now, types));
    return row?.ready ?? false;
  }

  claim(now: Date, types: KnownTypes, limit: number): Promise<ChannelLease[]> {
    const values = [...toParameters(now, types), this.config.leaseSeconds, limit];
    return this.statements.runExclusive<ChannelLease>(CLAIM_LOCK, CLAIM, values);
  }

  async release(leases: readonly ChannelLease[]): Promise<void> {
    await this.statements.run(RELEASE, [leases.map(({ channelId }) => channelId), leases.map(({ token }) => token)]);
  }
}

function toParameters(now: Date, { all, people, gaps }: KnownTypes): unknown[] {
  return [now, all, people, gaps.urgent, gaps.routine];
}
