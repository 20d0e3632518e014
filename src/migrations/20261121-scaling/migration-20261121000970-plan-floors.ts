import { Migration } from '@mikro-orm/migrations';

/** The shortest interval that each account's entries were last held to: where the plan says another, they are again. */
export class Migration20261121000970PlanFloors extends Migration {
  override up(): void {
    this.addSql(`create table plan_floors (
      account_id text primary key references accounts (id) on delete cascade deferrable initially deferred,
      minutes integer not null,
      applied_at timestamptz not null)`);
  }
}
