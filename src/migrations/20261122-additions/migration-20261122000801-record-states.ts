import { Migration } from '@mikro-orm/migrations';

/** Fingerprints of a name's registration record, and changes that wait for a second lookup. */
export class Migration20261122000801RecordStates extends Migration {
  override up(): void {
    this.addSql(`alter table watched_names add record_state text`);
  }
}
