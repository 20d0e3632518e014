import { Migration } from '@mikro-orm/migrations';

/**
 * Imports at work, with what each of their transactions wrote: the record of an import whose process died says so too.
 * A few rows, deleted when the end of the import is recorded.
 */
export class Migration20261123000300WatchlistImports extends Migration {
  override up(): void {
    this.addSql(`create table watchlist_imports (
      id uuid primary key,
      account_id text not null references accounts (id) on delete cascade,
      scope_tag text,
      origin text not null,
      created integer not null default 0,
      changed integer not null default 0,
      removed integer not null default 0,
      advanced_at timestamptz not null default now())`);
    this.addSql(`create index watchlist_imports_of_account on watchlist_imports (account_id)`);
  }
}
