import { Migration } from '@mikro-orm/migrations';

/** An index for each order in which a list can be asked for, and for its filters. */
export class Migration20261122000410SortIndexes extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`create index concurrently if not exists watch_entries_by_status
      on watch_entries (account_id, status, id)`);
    this.addSql(`create index concurrently if not exists watch_entries_by_expiry
      on watch_entries (account_id, expires_at nulls first, id)`);
    this.addSql(`create index concurrently if not exists watch_entries_by_status_and_expiry
      on watch_entries (account_id, status, expires_at nulls first, id)`);
    this.addSql(`create index concurrently if not exists watch_entries_by_answer
      on watch_entries (account_id, answered, id)`);
    this.addSql(`create index concurrently if not exists watch_entries_by_tag on watch_entries using gin (tags)`);
    this.addSql(`create index concurrently if not exists watched_names_by_answer
      on watched_names (last_checked_at, domain)`);
  }
}
