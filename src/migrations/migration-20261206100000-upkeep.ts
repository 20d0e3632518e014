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

/** Since when time passes evenly outlives the process that noticed a step, which ends. */
export class Migration20261206100100ClockSteps extends Migration {
  override up(): void {
    this.addSql(`create table clock_steps (
      one boolean primary key default true check (one),
      steady_since timestamptz(3) not null
    )`);
    this.addSql(`comment on table clock_steps is
      'One row, after the clock of this server was put forward: since when all processes go by its new time.'`);
  }
}
