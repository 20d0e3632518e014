import { Migration } from '@mikro-orm/migrations';

/**
 * Removed entries keep their history for as long as the account's plan keeps any. It moves to tables of its own, so that
 * those of the watchlist hold no row that no check needs, and the foreign keys leave no history without an owner.
 */
export class Migration20261123000310RemovedEntries extends Migration {
  override up(): void {
    this.addSql(`create table removed_entries (
      id text primary key,
      account_id text not null references accounts (id) deferrable initially deferred,
      domain text not null,
      added_at timestamptz(3) not null,
      removed_at timestamptz(3) not null,
      request_id text)`);
    this.addSql(`create index removed_entries_of_account on removed_entries (account_id, removed_at, id)`);
    this.addSql(`create index removed_entries_of_name on removed_entries (account_id, domain, removed_at, id)`);
    this.addSql(`create index removed_entries_by_age on removed_entries (removed_at, id)`);
    this.addSql(`create table removed_history (
      entry_id text not null references removed_entries (id) on delete cascade,
      change_seq integer not null,
      status text not null,
      phase text not null,
      move text,
      first_seen_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      expires_at timestamptz(3),
      evidence text not null,
      primary key (entry_id, change_seq))`);
    this.addSql(`create index removed_history_ended on removed_history (last_seen_at)`);
  }
}
