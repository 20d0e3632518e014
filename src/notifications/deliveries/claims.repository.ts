import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { Attempt } from '../domain/attempt.js';
import type { ChannelSender } from '../domain/channel-sender.js';
import { CONCURRENCY_LIMITS, Delivery } from '../domain/delivery.js';
import { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { channelMapping, deliveryMapping, eventMapping } from '../mappings.js';
import { hydrate, selectColumns } from '../rows.sql.js';
import type { ClaimedDelivery } from './attempt-context.js';
import { IS_CLAIMABLE, IS_FREE } from './delivery-conditions.sql.js';

/** Concurrent claims could both take the last free slot. */
const CLAIM_LOCK = 'claims of deliveries';

/** Where more deliveries are due, the query walks hosts and channels instead of deliveries. */
const BACKLOG_SIZE = 500;
const IS_BACKLOG = `(select count(*) > ${BACKLOG_SIZE} from due_sample)`;

/** Reads by primary key: a join might read all channels. */
const selectAccountId = (channel: string) =>
  `(select c.account_id from notification_channels c where c.id = ${channel})`;

/**
 * A body is large, and its event may be in many rows: only the first that starts has it. Of the event of one that is only
 * claimed, such as a mail, nothing is selected.
 */
const EVENT_COLUMNS = selectColumns(eventMapping, 'e', 'event.').replace(
  'e.body',
  'case when row_number() over (partition by claimed.event_id, starts) = 1 then e.body end',
);

/**
 * Claims due deliveries, and does what `Delivery.startAttempt` does with those that may be sent at once. Channels and
 * events are subqueries by primary key, since a join might read all of them.
 *
 * Usually few deliveries are due, and they are read one by one. In a backlog, a loose index scan goes from host to host,
 * whatever the number of deliveries.
 * `locked` filters by id only: with the state too, PostgreSQL would use the index of claims, which is nearly always
 * small in its statistics, and scan a whole backlog. The rows are checked again once locked.
 * What is due depends on business time; leases start and expire by the database's clock. Within a channel the oldest
 * goes first. Accounts that compete for slots take turns, at a host and overall: the one with the fewest attempts in
 * progress goes first, whatever its number of channels or hosts. So do the channels of an account. Ties are broken at
 * random: by age, the longest backlog would starve all others.
 *
 * $1 now, $2 claims in progress in all, $3 lease in seconds, $4 slots of a channel, $5 slots of a host, $6 the hosts,
 * null for all, $7 the channel types whose attempts start, $8 claims at most
 */
export const CLAIM = {
  name: 'deliveries_claim',
  text: `
  with recursive due_sample as materialized (
    select d.host, d.channel_id from deliveries d
    where ${IS_CLAIMABLE} and d.next_attempt_at <= $1 order by d.next_attempt_at limit ${BACKLOG_SIZE} + 1),
  walked_hosts (host) as (
    (select d.host from deliveries d where ${IS_CLAIMABLE} and $6::text[] is null and ${IS_BACKLOG} order by d.host limit 1)
    union all
    select (select d.host from deliveries d where ${IS_CLAIMABLE} and d.host > walked_hosts.host order by d.host limit 1)
    from walked_hosts where walked_hosts.host is not null),
  hosts (host) as (
    select unnest($6::text[])
    union all
    select host from walked_hosts
    union all
    select distinct host from due_sample where $6::text[] is null and not ${IS_BACKLOG}),
  in_progress as materialized (
    select host, channel_id, used, ${selectAccountId('leased.channel_id')} as account from (
      select l.host, l.channel_id, count(*) as used from delivery_leases l where l.until > now() group by 1, 2) leased),
  in_progress_at_host as (select host, sum(used)::integer as used from in_progress group by host),
  in_progress_of_channel as (select channel_id as id, sum(used)::integer as used from in_progress group by channel_id),
  in_progress_of_account_at_host as (
    select account, host, sum(used)::integer as used from in_progress group by account, host),
  in_progress_of_account as (select account, sum(used)::integer as used from in_progress group by account),
  open_hosts as materialized (
    select host, $5 - coalesce(used, 0) as free_slots from hosts left join in_progress_at_host using (host)
    where host is not null and coalesce(used, 0) < $5),
  walked (host, id) as (
    select host, (select d.channel_id from deliveries d
                  where ${IS_CLAIMABLE} and d.host = open_hosts.host order by d.channel_id limit 1)
    from open_hosts where ${IS_BACKLOG}
    union all
    select host, (select d.channel_id from deliveries d
                  where ${IS_CLAIMABLE} and d.host = walked.host and d.channel_id > walked.id
                  order by d.channel_id limit 1)
    from walked where id is not null),
  channels as materialized (
    select host, id, ${selectAccountId('waiting.id')} as account from (
      select host, id from walked where id is not null
      union all
      select distinct host, due_sample.channel_id from due_sample join open_hosts using (host)
      where not ${IS_BACKLOG}) waiting),
  turns as (
    select due.id, channels.host, channels.account, coalesce(used, 0) + due.age_rank as turn
    from channels left join in_progress_of_channel using (id)
    cross join lateral (
      select d.id, row_number() over (order by d.next_attempt_at) as age_rank from (
        select d.id, d.next_attempt_at from deliveries d
        where ${IS_CLAIMABLE} and d.host = channels.host and d.channel_id = channels.id and d.next_attempt_at <= $1 and ${IS_FREE}
        order by d.next_attempt_at limit greatest(0, $4 - coalesce(used, 0))) d) due),
  account_turns as (
    select turns.*, coalesce(used, 0) + row_number() over (partition by host, account order by turn, random()) as turn_at
    from turns left join in_progress_of_account_at_host using (account, host)),
  ranked as (select *, row_number() over (partition by host order by turn_at, turn, random()) as rank from account_turns),
  fitting as (
    select id, turn, coalesce(used, 0) + row_number() over (partition by account order by turn_at, turn, random()) as turn_in_all
    from ranked join open_hosts using (host) left join in_progress_of_account using (account) where rank <= free_slots),
  chosen as (
    select id from fitting
    order by turn_in_all, turn, random()
    limit least($8, greatest(0, $2 - (select coalesce(sum(used), 0)::integer from in_progress)))),
  locked as (select d.* from deliveries d where d.id = any(array(select id from chosen)) for update skip locked),
  -- a stalled transaction that holds an expired lease must not block all claims
  expired as materialized (
    select l.delivery_id as id from delivery_leases l
    where l.delivery_id = any(array(select id from chosen)) and l.until <= now() for update skip locked),
  due as (
    select d.* from locked d where ${IS_CLAIMABLE} and ${IS_FREE}
      and (d.id in (select id from expired) or not exists (select from delivery_leases l where l.delivery_id = d.id))),
  -- leases of deliveries that will not be claimed again: at once where nothing is to happen to them any more
  old as (
    select l.delivery_id as id from delivery_leases l where l.until <= now()
      and (l.until < now() - interval '1 hour'
        or exists (select from deliveries d where d.id = l.delivery_id and d.state = 'disabled'))
      and not l.delivery_id = any(array(select id from chosen))
    for update skip locked),
  forgotten as (
    delete from delivery_leases l using old where l.delivery_id = old.id returning l.delivery_id as id),
  lost as (
    update delivery_attempts set outcome = 'lost' where outcome is null
      and delivery_id = any(array(select id from due union all select id from forgotten))),
  claimed as materialized (
    select due.*, gen_random_uuid()::text as token, sendable is not null as starts,
      case when sendable is null then due.attempts else due.attempts + 1 end as number
    from due left join lateral (
      select c.id as sendable from notification_channels c
      where c.id = due.channel_id and c.active and c.type = any($7) offset 0) channel on true),
  leased as (
    insert into delivery_leases as l (delivery_id, token, until, host, channel_id)
    select id, token, now() + make_interval(secs => $3), host, channel_id from claimed
    on conflict (delivery_id) do update set token = excluded.token, until = excluded.until where l.until <= now()),
  counted as (
    update deliveries d set attempts = claimed.number from claimed where d.id = claimed.id and claimed.starts),
  begun as (
    insert into delivery_attempts (delivery_id, number, started_at) select id, number, $1 from claimed where starts)
  select starts, token, number, ${selectColumns(deliveryMapping, 'claimed')},
    ${selectColumns(channelMapping, 'c', 'channel.')}, ${EVENT_COLUMNS}
  from claimed
  left join lateral (select * from notification_channels where id = claimed.channel_id offset 0) c on starts
  left join lateral (select * from events where id = claimed.event_id offset 0) e on starts`,
};

/** The order makes PostgreSQL walk the index: with another plan it might read all that is due. $1 now */
const IS_ANY_DUE = {
  name: 'deliveries_is_any_due',
  text: `
    select exists (select from delivery_leases where until <= now()) or coalesce((
      select true from deliveries d where ${IS_CLAIMABLE} and d.next_attempt_at <= $1 and ${IS_FREE}
      order by d.next_attempt_at limit 1), false) as due`,
};

interface ClaimedRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly token: string;
  readonly starts: boolean;
  readonly number: number;
  readonly channelId: string;
  readonly eventId: string;
  /** null in all rows of an event but one. */
  readonly 'event.body': string | null;
}

interface ClaimOptions {
  readonly now: Date;
  /** null: all. */
  readonly hosts: readonly string[] | null;
  /** Those whose attempts need no unit of work to start. */
  readonly senders: readonly ChannelSender[];
  readonly limit: number;
}

const [DELIVERY_FIELDS, CHANNEL_FIELDS, EVENT_FIELDS] = [deliveryMapping, channelMapping, eventMapping].map(
  ({ meta }) => Object.keys(meta.properties),
) as [string[], string[], string[]];

/** Each method is a statement of its own. */
@Injectable()
export class DeliveryClaimRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  /** Whether a delivery is due and free, or a lease has expired. */
  async isAnyDue(now: Date): Promise<boolean> {
    const [row] = await this.statements.run<{ due: boolean }>(IS_ANY_DUE, [now]);
    return row?.due ?? false;
  }

  /**
   * The attempts that have started are stored when it resolves; a delivery of another type, or of an inactive channel, has
   * to be started by itself. An unfinished attempt of an expired lease becomes `lost`.
   */
  async claim({ now, hosts, senders, limit }: ClaimOptions): Promise<ClaimedDelivery[]> {
    const leasedAt = performance.now();
    const { perChannel, perHost, total } = CONCURRENCY_LIMITS;
    const senderOf = new Map(senders.map((sender) => [sender.type, sender]));
    const values = [now, total, this.config.leaseSeconds, perChannel, perHost, hosts, [...senderOf.keys()], limit];
    const rows = await this.statements.runExclusive<ClaimedRow>(CLAIM_LOCK, CLAIM, values);
    const { channels, events } = toChannelsAndEvents(rows);
    return rows.map((row): ClaimedDelivery => {
      const claim = { id: row.id, token: row.token };
      const [channel, event] = [channels.get(row.channelId), events.get(row.eventId)];
      const sender = channel && senderOf.get(channel.type);
      if (!row.starts || !sender || !event) return { ...claim, started: null };
      const attempt = Attempt.start(row.id, row.number, now);
      return { ...claim, started: { claim, attempt, delivery: toDelivery(row), channel, event, sender, leasedAt } };
    });
  }
}

/** Each channel and each event once, of the rows that start. */
function toChannelsAndEvents(rows: readonly ClaimedRow[]) {
  const channels = new Map<string, NotificationChannel>();
  const events = new Map<string, NotificationEvent>();
  for (const row of rows) {
    if (!row.starts) continue;
    if (row['event.body'] !== null) events.set(row.eventId, toEntity(NotificationEvent, row, EVENT_FIELDS, 'event.'));
    if (!channels.has(row.channelId))
      channels.set(row.channelId, toEntity(NotificationChannel, row, CHANNEL_FIELDS, 'channel.'));
  }
  return { channels, events };
}

function toDelivery(row: ClaimedRow): Delivery {
  const { number: attempts, token: leaseToken } = row;
  return toEntity(Delivery, { ...row, attempts, leaseToken }, [...DELIVERY_FIELDS, 'leaseToken']);
}

function toEntity<Entity extends object>(
  entityClass: { readonly prototype: Entity },
  row: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  prefix = '',
): Entity {
  const values: Record<string, unknown> = {};
  for (const field of fields) values[field] = row[prefix + field];
  return hydrate(entityClass, values as Partial<Entity>);
}
