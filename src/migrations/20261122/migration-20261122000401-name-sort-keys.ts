import { Migration } from '@mikro-orm/migrations';

/** A check updates the sort keys of its entries only where they changed: a routine check writes one row. */
export class Migration20261122000401NameSortKeys extends Migration {
  override up(): void {
    this.addSql(`create function name_gives_sort_keys() returns trigger language plpgsql as $$
      declare
        expiry timestamptz(3) := (new.facts::jsonb ->> 'expiresAt')::timestamptz;
        has_answer boolean := new.last_checked_at is not null;
      begin
        update watch_entries set expires_at = expiry, answered = has_answer
        where domain = new.domain and (expires_at is distinct from expiry or answered <> has_answer);
        return null;
      end $$`);
    this.addSql(`create trigger name_gives_sort_keys after update of facts, last_checked_at on watched_names
      for each row when (
        old.facts is distinct from new.facts or (old.last_checked_at is null) <> (new.last_checked_at is null))
      execute function name_gives_sort_keys()`);
  }
}
