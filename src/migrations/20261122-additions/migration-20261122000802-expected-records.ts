import { Migration } from '@mikro-orm/migrations';

/** What a watcher expects of the registration record, as JSON. null is what a process of the version before writes: nothing. */
export class Migration20261122000802ExpectedRecords extends Migration {
  override up(): void {
    this.addSql(`alter table watch_entries add expected text`);
  }
}
