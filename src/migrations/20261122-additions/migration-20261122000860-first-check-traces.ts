import { Migration } from '@mikro-orm/migrations';

/**
 * The trace of the request that added a name, until the first check of it. Not a column of the names: while nothing is
 * traced no row is written, and a crash may lose them.
 */
export class Migration20261122000860FirstCheckTraces extends Migration {
  override up(): void {
    this.addSql(`create unlogged table first_check_traces (
      domain text primary key,
      traceparent text not null,
      created_at timestamptz(3) not null default now())`);
  }
}
