import { Migration } from '@mikro-orm/migrations';

/** The secret address at which calendars read the dates of an account. */
export class Migration20261126200000CalendarAddresses extends Migration {
  override up(): void {
    this.addSql(`
      create table calendar_addresses (
        account_id text primary key references accounts (id) on delete cascade,
        digest text not null unique,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3)
      )`);
    this.addSql(`
      comment on table calendar_addresses is
        'The SHA-256 of the secret in the address at which calendars read the dates of an account. A new one replaces it.'`);
  }
}
