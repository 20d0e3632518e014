import { Migration } from '@mikro-orm/migrations';

/** What the suspension of its account paused, to be resumed with it: what was paused before stays paused. */
export class Migration20261122000310Suspensions extends Migration {
  override up(): void {
    this.addSql(`create table if not exists suspended_entries (
      entry_id text primary key references watch_entries (id) on delete cascade deferrable initially deferred,
      account_id text not null)`);
    this.addSql(`create index if not exists suspended_entries_of_account on suspended_entries (account_id)`);
    this.addSql(`create table if not exists suspended_deliveries (
      delivery_id text primary key references deliveries (id) on delete cascade,
      account_id text not null)`);
    this.addSql(`create index if not exists suspended_deliveries_of_account on suspended_deliveries (account_id)`);
  }
}
