import { Migration } from '@mikro-orm/migrations';

/** Drops are judged one by one now: there is no brake, and one table has what earlier lookups say. */
export class Migration20261207100000Testimony extends Migration {
  override up(): void {
    this.addSql(`
      drop table drop_brakes;
      drop table operator_drops;
      drop table registry_canaries;
      drop table lookups;
      drop sequence lookup_lease_ids`);
    this.addSql(`
      create table registry_canaries (
        source text not null,
        zone text not null,
        known jsonb not null,
        found_at timestamptz(3),
        missing_at timestamptz(3),
        domain text,
        primary key (source, zone)
      )`);
    this.addSql(`
      comment on table registry_canaries is
        'Names that a source must have a record of: those that it found itself (known), when it last found one, and when '
        'it had none of them (missing_at), which puts its absences in doubt for ten minutes'`);
    this.addSql(`
      create table lookups (
        domain text not null,
        account_id text references accounts (id) on delete cascade,
        facts text,
        observation text,
        observed_at timestamptz(3) not null,
        fresh_until timestamptz(3),
        in_zone_at timestamptz(3),
        unique nulls not distinct (domain, account_id)
      ) with (fillfactor = 70)`);
    this.addSql(`
      comment on table lookups is
        'The last lookup of a name by each account, which answers its checks while fresh. The row without an account holds '
        'for all: what a watch saw change, an absence in doubt (no facts), and when the zone had the name (in_zone_at)'`);
    this.addSql(`create index lookups_by_account on lookups (account_id)`);
  }
}
