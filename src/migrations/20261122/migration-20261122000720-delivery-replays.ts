import { Migration } from '@mikro-orm/migrations';

/**
 * Ranges of deliveries that are being sent again, and the last delivery that was: what a process that died left undone,
 * another one does.
 */
export class Migration20261122000720DeliveryReplays extends Migration {
  override up(): void {
    this.addSql(`create table delivery_replays (
      id uuid primary key,
      channel_id text not null references notification_channels (id) on delete cascade,
      range_from timestamptz(3) not null,
      range_to timestamptz(3) not null,
      requested_at timestamptz(3) not null,
      last_created_at timestamptz(3) not null,
      last_id text not null,
      advanced_at timestamptz not null default now())`);
    this.addSql(`create index delivery_replays_of_channel on delivery_replays (channel_id)`);
  }
}
