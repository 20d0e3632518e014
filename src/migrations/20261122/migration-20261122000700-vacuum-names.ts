import { Migration } from '@mikro-orm/migrations';

/**
 * Each check leaves a dead row and an entry in each index behind. By default a vacuum comes when a fifth of all rows are
 * dead: with ten million names these are millions, and claims read their index entries until then.
 */
export class Migration20261122000700VacuumNames extends Migration {
  override up(): void {
    this.addSql(`alter table watched_names
      set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1)`);
  }
}
