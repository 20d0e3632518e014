import { Migration } from '@mikro-orm/migrations';

/** How much was done in the minute under way, by accounts and others. A crash of the database forgives a minute. */
export class Migration20261121000940RequestLimits extends Migration {
  override up(): void {
    this.addSql(`create unlogged table minute_windows (
      key text primary key,
      used integer not null,
      ends_at timestamptz not null) with (fillfactor = 50)`);
  }
}
