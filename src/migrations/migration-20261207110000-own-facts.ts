import { Migration } from '@mikro-orm/migrations';

/** A new entry knows nothing of its name: what others caused before it is not copied. */
const START_ENTRY_COLUMNS = `
create or replace function set_entry_sort_keys() returns trigger language plpgsql as $$
begin
  new.expires_at := null;
  new.answered := false;
  new.failing := false;
  new.drifted := false;
  return new;
end $$`;

/** The entry's own first facts may be those that the name had before, which tells its trigger nothing. */
const COPY_FIRST_FACTS = `
create function copy_first_facts() returns trigger language plpgsql as $$
begin
  select (n.facts::jsonb ->> 'expiresAt')::timestamptz, n.last_checked_at is not null, n.failing_since is not null
    into new.expires_at, new.answered, new.failing from watched_names n where n.domain = new.domain;
  new.answered := coalesce(new.answered, false);
  new.failing := coalesce(new.failing, false);
  new.drifted := coalesce(drifts(new.domain, new.expected), false);
  return new;
end $$`;

/** Only where they changed, and only what an answer since the entry's beginning says. */
const UPDATE_ENTRY_COLUMNS = `
create or replace function update_entry_sort_keys() returns trigger language plpgsql as $$
declare
  expiry timestamptz(3) := (new.facts::jsonb ->> 'expiresAt')::timestamptz;
  is_failing boolean := new.failing_since is not null;
begin
  update watch_entries set
    expires_at = case when created_at <= new.last_checked_at then expiry else expires_at end,
    answered = answered or coalesce(created_at <= new.last_checked_at, false),
    failing = is_failing
  where domain = new.domain
    and (expires_at is distinct from expiry or not answered or failing <> is_failing);
  return null;
end $$`;

/** An account sees of a name what was found since its entry exists. */
export class Migration20261207110000OwnFacts extends Migration {
  override up(): void {
    for (const definition of [START_ENTRY_COLUMNS, COPY_FIRST_FACTS, UPDATE_ENTRY_COLUMNS]) this.addSql(definition);
    this.addSql(`
      create trigger copy_first_facts before update of has_confirmed_facts on watch_entries
        for each row when (new.has_confirmed_facts and not old.has_confirmed_facts) execute function copy_first_facts()`);
  }
}
