import { Migration } from '@mikro-orm/migrations';

/** Which import added an entry: the id of its audit record. */
export class Migration20261129100000ImportedEntries extends Migration {
  override up(): void {
    this.addSql('alter table watch_entries add column import_id text');
  }
}

/** Read to list, or to remove, what an import added; entries that were added one by one are not in it. */
export class Migration20261129100100EntriesByImport extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists watch_entries_of_import
         on watch_entries (account_id, import_id, domain) where import_id is not null`,
    );
  }
}

/**
 * Changes and removals of many entries are stored like imports while they are at work. `about` takes the place of
 * `scope_tag`, which the version before writes.
 */
export class Migration20261129100200BulkRuns extends Migration {
  override up(): void {
    this.addSql(`
      alter table watchlist_imports
        add column action text not null default 'watchlist.imported',
        add column audit_id text,
        add column about text`);
    this.addSql(`
      comment on table watchlist_imports is
        'Imports, changes and removals of many entries at work, and what their transactions wrote so far, until their end is '
        'recorded: the audit record of one whose process died says so too.'`);
  }
}
