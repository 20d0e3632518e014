import { Migration } from '@mikro-orm/migrations';

/** What processes share of their dealings with registry operators. */
export class Migration20261121000500Budgets extends Migration {
  override up(): void {
    // Who is left alone, and until when. A restart keeps it.
    this.addSql(`create table registry_operators (
      operator text primary key,
      blocked_until timestamptz,
      broken_since timestamptz,
      retry_at timestamptz,
      openings integer not null default 0,
      probe_until timestamptz)`);
    // Token buckets: when each will be full again, in milliseconds of the epoch. A crash of the database fills them,
    // which costs a registry one burst.
    this.addSql(`create unlogged table registry_tokens (
      operator text primary key,
      full_at double precision not null,
      free integer not null) with (fillfactor = 50)`);
    // requests in flight; an expired slot is free
    this.addSql(`create table registry_slots (
      operator text not null,
      slot smallint not null,
      holder uuid not null,
      until timestamptz not null,
      primary key (operator, slot)) with (fillfactor = 50)`);
    // What registries said about names whose answer is known. Kept for a week.
    this.addSql(`create table registry_canaries (
      tld text not null,
      observed_at timestamptz not null,
      is_right boolean not null,
      registered jsonb not null,
      unregistered jsonb not null,
      primary key (tld, observed_at))`);
  }
}
