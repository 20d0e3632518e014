import { Migration } from '@mikro-orm/migrations';

/** When a channel gets a summary of the watchlist, and the next time. */
export class Migration20261126210000Summaries extends Migration {
  override up(): void {
    this.addSql(
      'alter table notification_channels add column summary jsonb, add column next_summary_at timestamptz(3)',
    );
  }
}

/** Read every few seconds, with hardly any rows. */
export class Migration20261126210100DueSummaries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists notification_channels_next_summary
         on notification_channels (next_summary_at) where next_summary_at is not null`,
    );
  }
}
