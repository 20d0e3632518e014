import { Migration } from '@mikro-orm/migrations';

/**
 * A lease is worth little after a crash of the database: its holder writes nothing then, and its name is checked
 * again; the count of starts begins at zero. So it need not be logged. Room on its pages lets it be renewed in place, now that no index has its end; all of
 * them are counted in one walk.
 */
export class Migration20261121000980LightLeases extends Migration {
  override up(): void {
    this.addSql(`drop index leases_of_operator`);
    this.addSql(`alter table leases set unlogged`);
    this.addSql(`alter table leases set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`);
  }
}
