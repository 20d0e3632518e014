import { Migration } from '@mikro-orm/migrations';

/** A name's registry operator and urgency, what its entries were notified of, and their history. */
export class Migration20261121000900Watching extends Migration {
  override up(): void {
    this.addSql(`alter table watched_names
      add column operator text not null default '',
      add column urgency smallint not null default 2,
      add column last_turn text`);
    this.addSql(`drop index watched_names_due`);
    // The claim walks the operators, and within each the urgencies; both the walk and the claim read this alone.
    this.addSql(`create index watched_names_due on watched_names (operator, urgency, next_check_at, domain)
      where next_check_at is not null`);
    this.addSql(`create table name_evidence (
      domain text primary key references watched_names (domain) on delete cascade deferrable initially deferred,
      evidence text not null)`);

    this.addSql(`alter table watch_entries
      add column plan_floor_minutes integer not null default 0,
      add column told_rung text,
      add column failing_told boolean not null default false`);
    // a routine check reads only the entries that are due, not all entries of the name
    this.addSql(`create index watch_entries_boundary on watch_entries (domain, boundary_at) where not paused`);

    this.addSql(`create table watch_history (
      entry_id text not null references watch_entries (id) on delete cascade deferrable initially deferred,
      change_seq integer not null,
      status text not null,
      phase text not null,
      move text,
      first_seen_at timestamptz(3) not null,
      last_seen_at timestamptz(3),
      expires_at timestamptz(3),
      evidence text not null,
      primary key (entry_id, change_seq))`);
    this.addSql(`create index watch_history_ended on watch_history (last_seen_at) where last_seen_at is not null`);
  }
}
