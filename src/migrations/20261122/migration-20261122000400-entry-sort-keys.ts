import { Migration } from '@mikro-orm/migrations';

/**
 * What a list is sorted by stands on the entry, where an index of its account can have it: the expiry of its name, and
 * whether a registry ever answered for it. The database keeps both, so that processes of the version before do as well.
 */
export class Migration20261122000400EntrySortKeys extends Migration {
  override up(): void {
    this.addSql(`alter table watch_entries
      add column expires_at timestamptz(3),
      add column answered boolean not null default false`);
    this.addSql(`create function entry_takes_sort_keys() returns trigger language plpgsql as $$
      begin
        select (n.facts::jsonb ->> 'expiresAt')::timestamptz, n.last_checked_at is not null
          into new.expires_at, new.answered from watched_names n where n.domain = new.domain;
        new.answered := coalesce(new.answered, false);
        return new;
      end $$`);
    this.addSql(`create trigger entry_takes_sort_keys before insert on watch_entries
      for each row execute function entry_takes_sort_keys()`);
  }
}
