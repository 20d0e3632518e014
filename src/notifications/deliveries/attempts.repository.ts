import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { Attempt } from '../domain/attempt.js';
import {
  type ChannelLease,
  EVENTS_IN_FLIGHT,
  MOST_EVENTS_IN_MESSAGE,
  MOST_NAMED_IN_MESSAGE,
} from '../domain/channel-lease.js';
import { Delivery } from '../domain/delivery.js';
import { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { channelMapping, deliveryMapping, eventMapping } from '../mappings.js';
import { hydrate, selectColumns } from '../rows.sql.js';

/**
 * Attempts that an earlier worker left unfinished become `lost`, and their events are sent again. A message to people
 * is repeated with the same events.
 *
 * $1 channels, $2 tokens, $3 now, $4 the types whose receivers are people, $5 the types that cannot send at present
 */
const START = {
  name: 'attempts_start',
  text: `
  with leased as materialized (
    select l.channel_id, l.token, l.sending, c.type = any($4) as to_people
    from unnest($1::text[], $2::text[]) as given (channel_id, token)
    join channel_leases l on l.channel_id = given.channel_id and l.token = given.token
    join notification_channels c on c.id = l.channel_id
      and (c.active or (c.reason = 'mail_not_configured' and c.type = any($5)))),
  lost as (
    update delivery_attempts a set outcome = 'lost' from channel_leases l
    where l.channel_id = any($1) and l.token = any($2) and a.delivery_id = any(l.sending) and a.outcome is null),
  due as materialized (
    select d.*, leased.token, leased.to_people from leased cross join lateral (
      select * from deliveries d
      where d.channel_id = leased.channel_id and d.state = 'pending' and d.next_attempt_at <= $3
      order by d.next_attempt_at, d.id limit ${EVENTS_IN_FLIGHT} for update skip locked) d
    where not leased.to_people
    union all
    select d.*, leased.token, leased.to_people from leased cross join lateral (
      select * from deliveries d
      where d.channel_id = leased.channel_id and d.state = 'pending' and d.next_attempt_at <= $3
        and (leased.sending = '{}' or d.id = any(leased.sending))
      order by d.urgent desc, d.next_attempt_at, d.id limit ${MOST_EVENTS_IN_MESSAGE} for update skip locked) d
    where leased.to_people),
  counted as (update deliveries d set attempts = d.attempts + 1 from due where d.id = due.id),
  begun as (
    insert into delivery_attempts (delivery_id, number, started_at) select id, attempts + 1, $3 from due),
  noted as (
    update channel_leases l set sending = array(select due.id from due where due.channel_id = l.channel_id)
    where l.channel_id = any($1) and l.token = any($2)),
  ranked as (
    select due.*, row_number() over (
      partition by channel_id order by to_people and urgent desc, next_attempt_at, id) as place from due)
  select ranked.token, ranked.attempts + 1 as number, ranked.place, ${selectColumns(deliveryMapping, 'ranked')},
    ${selectColumns(channelMapping, 'c', 'channel.')},
    ${selectColumns(eventMapping, 'e', 'event.').replace(
      'e.body',
      `case when place <= ${MOST_NAMED_IN_MESSAGE} and row_number() over (
         partition by ranked.event_id, place <= ${MOST_NAMED_IN_MESSAGE}) = 1 then e.body end`,
    )}
  from ranked join notification_channels c on c.id = ranked.channel_id
  cross join lateral (select * from events where id = ranked.event_id offset 0) e
  order by ranked.channel_id, place`,
};

export interface StartedDelivery {
  readonly delivery: Delivery;
  readonly event: NotificationEvent;
  readonly attempt: Attempt;
}

export interface StartedChannel {
  readonly channel: NotificationChannel;
  /** Sorted by the place in the message. Events after the first `MOST_NAMED_IN_MESSAGE` have an empty body. */
  readonly started: readonly StartedDelivery[];
}

interface StartedRow extends Readonly<Record<string, unknown>> {
  readonly number: number;
  readonly place: string;
  readonly id: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly 'event.body': string | null;
}

const [DELIVERY_FIELDS, CHANNEL_FIELDS, EVENT_FIELDS] = [deliveryMapping, channelMapping, eventMapping].map(
  ({ meta }) => Object.keys(meta.properties),
) as [string[], string[], string[]];

@Injectable()
export class AttemptRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Commits attempts before sending, so call this outside a transaction. @returns channels with due deliveries */
  async start(
    leases: readonly ChannelLease[],
    now: Date,
    types: { readonly people: readonly string[]; readonly unready: readonly string[] },
  ): Promise<Map<string, StartedChannel>> {
    const [ids, tokens] = [leases.map(({ channelId }) => channelId), leases.map(({ token }) => token)];
    const rows = await this.statements.run<StartedRow>(START, [ids, tokens, now, types.people, types.unready]);
    // Bodies are large, so the query returns the body of an event only once.
    const bodies = new Map<string, string>();
    for (const { eventId, 'event.body': body } of rows) if (body !== null) bodies.set(eventId, body);
    return new Map(
      [...Map.groupBy(rows, ({ channelId }) => channelId)].map(([id, ofChannel]) => [
        id,
        {
          channel: toEntity(NotificationChannel, ofChannel[0] ?? {}, CHANNEL_FIELDS, 'channel.'),
          started: ofChannel.map((row) => toStarted(row, bodies, now)),
        },
      ]),
    );
  }
}

function toStarted(row: StartedRow, bodies: ReadonlyMap<string, string>, now: Date): StartedDelivery {
  const body = Number(row.place) <= MOST_NAMED_IN_MESSAGE ? (bodies.get(row.eventId) ?? '') : '';
  return {
    delivery: toEntity(Delivery, { ...row, attempts: row.number }, DELIVERY_FIELDS),
    event: toEntity(NotificationEvent, { ...row, 'event.body': body }, EVENT_FIELDS, 'event.'),
    attempt: Attempt.start(row.id, row.number, now),
  };
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
