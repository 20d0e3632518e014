import { channelMapping, deliveryMapping, eventMapping } from '../mappings.js';
import { selectColumns } from '../select-columns.js';
import { chooseDue, GIVEN_HOSTS, LEASE_UNTIL, REPLACE_EXPIRED } from './claims.sql.js';

/**
 * A body is large, and its event may be in many rows: only the first that starts has it. Of the event of one that is only
 * claimed, such as a mail, nothing is selected.
 */
const EVENT_COLUMNS = selectColumns(eventMapping, 'e', 'event.').replace(
  'e.body',
  'case when row_number() over (partition by claimed.event_id, starts) = 1 then e.body end',
);

/**
 * The claim and what `Delivery.startAttempt` does, in one: for a process that sends what it claims. Channels and events
 * are subqueries by primary key, since a join might read all of them.
 * $1 to $5 as for a claim, $6 the hosts, $7 the channel types whose attempts start; other deliveries are only claimed
 */
export const CLAIM_AND_START = {
  name: 'deliveries_claim_and_start',
  text: `${chooseDue(GIVEN_HOSTS)}
  lost as (
    update delivery_attempts set outcome = 'lost' where outcome is null and delivery_id = any(array(select id from due))),
  claimed as materialized (
    select due.*, gen_random_uuid()::text as token, sendable is not null as starts,
      case when sendable is null then due.attempts else due.attempts + 1 end as number
    from due left join lateral (
      select c.id as sendable from notification_channels c
      where c.id = due.channel_id and c.active and c.type = any($7) offset 0) channel on true),
  leased as (
    insert into delivery_leases as l (delivery_id, token, until, host, channel_id)
    select id, token, ${LEASE_UNTIL}, host, channel_id from claimed
    ${REPLACE_EXPIRED}),
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
