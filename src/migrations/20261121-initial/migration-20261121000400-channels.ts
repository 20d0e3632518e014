import { Migration } from '@mikro-orm/migrations';

/** What accounts may ask of their channels beyond a target, and how they read their events. */
export class Migration20261121000400Channels extends Migration {
  override up(): void {
    // Values are sealed with the master key.
    this.addSql(`alter table notification_channels
      add headers jsonb not null default '{}',
      add older_secrets jsonb not null default '[]'`);

    this.addSql(`create index events_of_account on events (account_id, xid, seq)`);
    this.addSql(`create index events_by_age on events (created_at)`);
    // The last event of an account that is no longer kept: a cursor before it has missed something.
    this.addSql(`create table event_horizons (
      account_id text primary key references accounts (id),
      xid xid8 not null,
      seq bigint not null)`);
  }
}
