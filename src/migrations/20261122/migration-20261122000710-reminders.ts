import { Migration } from '@mikro-orm/migrations';

/**
 * Reminders that a watcher chose, as JSON: the days before the expiry, and a renewal date of their own. null is what a
 * process of the version before writes, and means its rules: the default days, and no date but the registry's.
 */
export class Migration20261122000710Reminders extends Migration {
  override up(): void {
    this.addSql(`alter table watch_entries add remind_days text, add renewal text`);
  }
}
