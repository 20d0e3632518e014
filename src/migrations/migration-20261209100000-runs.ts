import { Migration } from '@mikro-orm/migrations';

/** Each transaction of an import, or of a change of many, has its own audit record: nothing is kept about those at work. */
export class Migration20261209100000Runs extends Migration {
  override up(): void {
    this.addSql('drop table watchlist_imports');
    this.addSql(`comment on column watch_entries.import_id is 'The run of the import that added it.'`);
  }
}
