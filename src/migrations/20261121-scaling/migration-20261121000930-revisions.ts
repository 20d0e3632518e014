import { Migration } from '@mikro-orm/migrations';

/** A revision number orders writes, not times that may be equal; retention gets its index. */
export class Migration20261121000930Revisions extends Migration {
  override up(): void {
    this.addSql(`alter table watched_names add column revision integer not null default 0`);
    this.addSql(`create index watched_names_resting on watched_names (last_checked_at) where next_check_at is null`);
    this.addSql(`alter table watch_entries add column history_frozen boolean not null default false`);
  }
}
