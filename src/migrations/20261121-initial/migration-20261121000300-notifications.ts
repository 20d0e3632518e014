import { Migration } from '@mikro-orm/migrations';

/** Events, the channels that receive them, and their deliveries. */
export class Migration20261121000300Notifications extends Migration {
  override up(): void {
    // A reader that pages by (xid, seq) below its snapshot's xmin never skips a row that commits late.
    this.addSql(`create table events (
      id text primary key,
      seq bigint generated always as identity,
      xid xid8 not null default pg_current_xact_id(),
      account_id text not null references accounts (id),
      type text not null,
      entry_id text,
      body text not null,
      created_at timestamptz(3) not null)`);
    this.addSql(`create index events_of_entry on events (entry_id) where entry_id is not null`);

    this.addSql(`create table notification_channels (
      id text primary key,
      account_id text not null references accounts (id),
      type text not null,
      target text not null,
      canonical_target text not null,
      sealed_secret text,
      active boolean not null,
      event_types text[] not null,
      tags text[] not null,
      reason text,
      disabled_at timestamptz(3),
      first_failure_at timestamptz(3),
      created_at timestamptz(3) not null,
      constraint one_channel_per_target unique (account_id, type, canonical_target))`);

    this.addSql(`create table deliveries (
      id text primary key,
      event_id text not null references events (id) on delete cascade,
      channel_id text not null references notification_channels (id) on delete cascade,
      state text not null check (state in ('pending', 'delivered', 'failed', 'paused', 'disabled')),
      attempts integer not null default 0,
      failures integer not null default 0,
      next_attempt_at timestamptz(3),
      lease_token text,
      lease_until timestamptz,
      created_at timestamptz(3) not null,
      constraint one_delivery_per_channel unique (event_id, channel_id),
      constraint pending_is_due check ((state = 'pending') = (next_attempt_at is not null)))`);
    this.addSql(`create index deliveries_due on deliveries (next_attempt_at) where state = 'pending'`);
    this.addSql(`create index deliveries_leased on deliveries (lease_until) where lease_token is not null`);
    this.addSql(`create index deliveries_of_channel on deliveries (channel_id, created_at desc, id desc)`);

    this.addSql(`create table delivery_attempts (
      delivery_id text not null references deliveries (id) on delete cascade,
      number integer not null,
      started_at timestamptz(3) not null,
      duration_ms integer,
      outcome text,
      response_status integer,
      response_excerpt text,
      primary key (delivery_id, number))`);
  }
}
