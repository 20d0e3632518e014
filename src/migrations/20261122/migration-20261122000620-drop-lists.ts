import { Migration } from '@mikro-orm/migrations';

/** The official drop lists that are read, and those of their names that are watched. */
export class Migration20261122000620DropLists extends Migration {
  override up(): void {
    this.addSql(`create table drop_lists (
      name text primary key,
      next_fetch_at timestamptz(3) not null,
      etag text,
      last_modified text,
      applied_at timestamptz(3),
      size integer not null default 0)`);
    this.addSql(`create table drop_listings (
      domain text primary key,
      list text not null,
      drop_at timestamptz(3) not null,
      listed_at timestamptz(3) not null,
      window_began boolean not null default false)`);
    this.addSql('create index drop_listings_by_list on drop_listings (list, drop_at)');
  }
}
