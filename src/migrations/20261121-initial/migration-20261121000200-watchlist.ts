import { Migration } from '@mikro-orm/migrations';

/** Names with their facts, the entries that watch them, and the leases of running checks. */
export class Migration20261121000200Watchlist extends Migration {
  override up(): void {
    this.addSql(`create table watched_names (
      domain text primary key,
      interval_minutes integer not null,
      next_check_at timestamptz(3),
      facts text,
      source text,
      proven_since timestamptz(3),
      proof_at timestamptz(3),
      pending text,
      last_checked_at timestamptz(3),
      failures integer not null default 0,
      failing_since timestamptz(3),
      failure_code text)`);
    this.addSql(`create index watched_names_due on watched_names (next_check_at, domain)`);
    this.addSql(`create table watch_entries (
      id text primary key,
      account_id text not null references accounts (id) deferrable initially deferred,
      domain text not null references watched_names (domain) deferrable initially deferred,
      interval_minutes integer not null,
      expiring_window_days integer not null,
      status text not null,
      phase text not null,
      change_seq integer not null,
      proven boolean not null,
      known_registered_at timestamptz(3),
      known_expires_at timestamptz(3),
      boundary_at timestamptz(3),
      paused boolean not null,
      tags text[] not null,
      note text,
      intent text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint one_watch_per_account unique (account_id, domain))`);
    this.addSql(`create index watch_entries_newest on watch_entries (account_id, created_at desc, id desc)`);
    this.addSql(
      `create index watch_entries_newest_by_status on watch_entries (account_id, status, created_at desc, id desc)`,
    );
    this.addSql(`create index watch_entries_of_name on watch_entries (domain, id)`);
    this.addSql(`create table leases (
      domain text primary key,
      token uuid not null,
      until timestamptz not null)`);
  }
}
