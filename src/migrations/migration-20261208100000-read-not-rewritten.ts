import { Migration } from '@mikro-orm/migrations';

/** How late the names of an operator are is read where it is shown. */
export class Migration20261208100000WithoutOperatorLoads extends Migration {
  override up(): void {
    this.addSql('drop table operator_loads');
  }
}

/** A suspension and a plan's minimum are read: entries have neither, and nothing remembers which of them it paused. */
export class Migration20261208110000FollowedAccounts extends Migration {
  override up(): void {
    this.addSql(`
      create table followed_accounts (
        account_id text primary key references accounts (id) on delete cascade deferrable initially deferred,
        minimum_minutes integer not null,
        suspended boolean not null default false,
        scheduled boolean not null default true
      )`);
    this.addSql(`
      comment on table followed_accounts is
        'The shortest interval that the plan of each account allows. suspended: its names are scheduled as those of nobody. '
        'Not scheduled: they still follow an earlier minimum.'`);
    this.addSql(`
      insert into followed_accounts (account_id, minimum_minutes, suspended)
      select p.account_id, p.minutes, exists (select from suspended_entries s where s.account_id = p.account_id)
      from plan_minimums p`);
    this.addSql(`update watch_entries e set paused = false from suspended_entries s where e.id = s.entry_id`);
    this.addSql('drop table suspended_entries, plan_minimums');
    this.addSql('alter table watch_entries drop column required_interval_minutes');
  }
}
