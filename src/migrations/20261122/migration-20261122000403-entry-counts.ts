import { Migration } from '@mikro-orm/migrations';

/**
 * How many entries each account has, kept by the database with every entry that comes and goes: a page and an addition
 * would else count all of them. Additions of an account wait for each other in any case.
 */
export class Migration20261122000403EntryCounts extends Migration {
  override up(): void {
    this.addSql(`create table entry_counts (
      account_id text primary key,
      entries integer not null) with (fillfactor = 50)`);
    this.addSql(`create function count_entries() returns trigger language plpgsql as $$
      begin
        insert into entry_counts as c (account_id, entries)
        select account_id, case tg_op when 'INSERT' then count(*) else -count(*) end
        from changed group by account_id order by account_id
        on conflict (account_id) do update set entries = c.entries + excluded.entries;
        return null;
      end $$`);
    this.addSql(`lock table watch_entries in share row exclusive mode`);
    this.addSql(`create trigger count_added_entries after insert on watch_entries
      referencing new table as changed for each statement execute function count_entries()`);
    this.addSql(`create trigger count_removed_entries after delete on watch_entries
      referencing old table as changed for each statement execute function count_entries()`);
    this.addSql(`create function forget_entry_counts() returns trigger language plpgsql as $$
      begin
        delete from entry_counts;
        return null;
      end $$`);
    this.addSql(`create trigger count_no_entries after truncate on watch_entries
      for each statement execute function forget_entry_counts()`);
    this.addSql(`insert into entry_counts (account_id, entries)
      select account_id, count(*) from watch_entries group by account_id`);
  }
}
