import { Migration } from '@mikro-orm/migrations';

/** Deliveries are claimed by host and channel, so that slow receivers delay only each other. */
export class Migration20261121000700FairDeliveries extends Migration {
  override up(): void {
    this.addSql(`alter table notification_channels add host text`);
    this.addSql(`update notification_channels set host =
      coalesce(substring(canonical_target from '^https://(\\[[^]]+\\]|[^/:?#]+)'), type)`);
    this.addSql(`alter table notification_channels alter host set not null`);

    this.addSql(`alter table deliveries add host text, add digest_id text`);
    this.addSql(`update deliveries set host = channel.host
      from notification_channels channel where channel.id = channel_id`);
    this.addSql(`alter table deliveries alter host set not null`);
    this.addSql(`create index deliveries_claimable on deliveries (host, channel_id, next_attempt_at)
      where state = 'pending' and digest_id is null`);

    // In a table of their own: on the delivery, every claim would rewrite all of its indexes.
    this.addSql(`create table delivery_leases (
      delivery_id text primary key references deliveries (id) on delete cascade,
      token text not null,
      until timestamptz not null,
      host text not null,
      channel_id text not null)`);
    this.addSql(`alter table deliveries drop lease_token, drop lease_until`); // and with them their index
    // A queue's rows die young: left to the default fifth, claims would walk past the dead.
    this.addSql(`alter table deliveries set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`);
    this.addSql(`alter table delivery_leases set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`);
    this.addSql(`alter table delivery_attempts set (fillfactor = 80)`);
  }
}
