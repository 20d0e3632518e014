import { Migration } from '@mikro-orm/migrations';

/** Whether the channel `c` accepts the held event `h`. */
const IS_ACCEPTED = `(c.tags = '{}' or c.tags && h.tags) and case when c.event_types = '{}'
  then h.type = 'watchlist.drift_changed' or (h.intent = 'own' and not h.part_of_move)
  else c.event_types && array['watchlist.*', h.type] end`;

/**
 * Each change is told by its own event. What was held for a message about many names is due for each channel that wants
 * it, and such a message becomes the deliveries of its changes, in its state and with its attempts.
 */
export class Migration20261211100000WithoutMassChanges extends Migration {
  override up(): void {
    this.addSql(`update notification_channels
      set event_types = array(
        select distinct replace(type, 'watchlist.mass_change', 'watchlist.record_changed') from unnest(event_types) type)
      where 'watchlist.mass_change' = any(event_types)`);
    // A change that two messages may have told is taken for that of the one that was not sent.
    this.addSql(`with
      held as (
        select id, account_id, type, created_at, data ->> 'domain' as domain, data ->> 'kind' as kind,
          data ->> 'intent' as intent, data ->> 'part_of_move' is not null as part_of_move,
          array(select json_array_elements_text(data -> 'tags')) as tags
        from events, lateral (select body::json -> 'data' as data) as said
        where type in ('watchlist.record_changed', 'watchlist.drift_changed')
          and data #>> '{mass_change,held}' = 'true'),
      waiting as (
        select account_id, domain, started_at from change_windows join held_changes on window_id = id),
      messages as (
        select d.*, account_id, data ->> 'kind' as kind, data ->> 'intent' as intent,
          (data ->> 'since')::timestamptz as since, (data ->> 'until')::timestamptz as until
        from events e join deliveries d on d.event_id = e.id, lateral (select body::json -> 'data' as data) as said
        where type = 'watchlist.mass_change'),
      candidates as (
        select h.id as event_id, c.id as channel_id, null as message_id, 'pending' as state, 0 as attempts,
          0 as failures, now() as next_attempt_at, h.created_at
        from waiting w
        join held h on h.account_id = w.account_id and h.domain = w.domain
          and (h.created_at >= w.started_at - interval '1 minute' or w.started_at > now())
        join notification_channels c on c.account_id = h.account_id and ${IS_ACCEPTED}
        where c.active or c.reason = 'mail_not_configured'
        union all
        select h.id, c.id, m.id, m.state, m.attempts, m.failures, m.next_attempt_at, m.created_at
        from messages m
        join held h on h.account_id = m.account_id and h.intent = m.intent and coalesce(h.kind, m.kind) = m.kind
          and h.created_at between m.since - interval '1 minute' and m.until
        join notification_channels c on c.id = m.channel_id and ${IS_ACCEPTED}),
      told as (
        select distinct on (event_id, channel_id) *, 'dl_0' || left(md5(event_id || channel_id), 25) as id
        from candidates
        order by event_id, channel_id, state = 'delivered', message_id nulls first),
      inserted as (
        insert into deliveries (id, event_id, channel_id, state, attempts, failures, next_attempt_at, created_at)
        select id, event_id, channel_id, state, attempts, failures, next_attempt_at, created_at from told
        on conflict (event_id, channel_id) do nothing
        returning id)
      insert into delivery_attempts
        (delivery_id, number, started_at, duration_ms, outcome, response_status, response_excerpt)
      select t.id, a.number, a.started_at, a.duration_ms, a.outcome, a.response_status, a.response_excerpt
      from inserted join told t using (id) join delivery_attempts a on a.delivery_id = t.message_id`);
    this.addSql(`delete from events where type = 'watchlist.mass_change'`);
    this.addSql('drop table held_changes, change_windows');
  }
}
