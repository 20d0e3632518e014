import { Migration } from '@mikro-orm/migrations';

/** How often an account saw the same change of a registration record, for the brake on messages about them. */
export class Migration20261122000850RecordChangeWindows extends Migration {
  override up(): void {
    this.addSql(`create table record_change_windows (
      account_id text not null references accounts (id) on delete cascade,
      key text not null,
      started_at timestamptz(3) not null,
      changes integer not null,
      is_mass boolean not null,
      primary key (account_id, key))`);
  }
}
