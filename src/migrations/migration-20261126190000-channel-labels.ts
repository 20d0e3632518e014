import { Migration } from '@mikro-orm/migrations';

/** What an account calls a channel. */
export class Migration20261126190000ChannelLabels extends Migration {
  override up(): void {
    this.addSql('alter table notification_channels add column label text');
  }
}

/** A process of the version before leaves labels null, so the index refuses nothing that it writes. */
export class Migration20261126190100UniqueChannelLabels extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create unique index concurrently if not exists one_channel_per_label
         on notification_channels (account_id, lower(label)) where label is not null`,
    );
  }
}
