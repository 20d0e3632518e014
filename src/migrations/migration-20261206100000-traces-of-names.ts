import { Migration } from '@mikro-orm/migrations';

/** The trace that the next check of a name continues is read with the name, and no longer from a table of its own. */
export class Migration20261206100000TracesOfNames extends Migration {
  override up(): void {
    this.addSql('drop table if exists first_check_traces');
    this.addSql('alter table watched_names add column traceparent text');
    this.addSql(`comment on column watched_names.traceparent is
      'The request that asked for the next check, until a check finds nothing new. Null while nothing is traced.'`);
  }
}
