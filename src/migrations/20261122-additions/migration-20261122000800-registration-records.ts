import { Migration } from '@mikro-orm/migrations';

/**
 * What registries say beside the facts, as JSON: for each kind its value and the former ones. `previous` is set where
 * a value followed another one of the same registration, which is what watchers are notified of.
 */
export class Migration20261122000800RegistrationRecords extends Migration {
  override up(): void {
    this.addSql(`create table registration_records (
      domain text not null references watched_names (domain) on delete cascade deferrable initially deferred,
      kind text not null,
      value text not null,
      first_seen_at timestamptz(3) not null,
      last_seen_at timestamptz(3),
      confirmed_at timestamptz(3) not null,
      previous text,
      previous_seen_at timestamptz(3),
      evidence text,
      primary key (domain, kind, first_seen_at))`);
    this.addSql(`create index registration_records_ended on registration_records (last_seen_at)
      where last_seen_at is not null`);
  }
}
