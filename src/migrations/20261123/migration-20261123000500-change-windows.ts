import { Migration } from '@mikro-orm/migrations';

/**
 * Names of an account with the same change of their records, in place of a count of changes: one name that flaps counts
 * once, and the names that were not sent by themselves are there for the message about them.
 */
export class Migration20261123000500ChangeWindows extends Migration {
  override up(): void {
    this.addSql(`drop table record_change_windows`);
    this.addSql(`create table change_windows (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      kind text not null,
      after jsonb not null,
      intent text not null,
      tags text[] not null,
      started_at timestamptz(3) not null,
      sent text[] not null,
      held integer not null,
      continues boolean not null)`);
    this.addSql(`create index change_windows_of_account on change_windows (account_id)`);
    this.addSql(`create index change_windows_holding on change_windows (started_at) where held > 0`);
    this.addSql(`create index change_windows_holding_nothing on change_windows (started_at) where held = 0`);
    this.addSql(`create table held_changes (
      window_id text not null references change_windows (id) on delete cascade,
      domain text not null,
      primary key (window_id, domain))`);
  }
}
