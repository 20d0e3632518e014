import { Migration } from '@mikro-orm/migrations';

/** Accounts whose deletion has begun, and when it last made progress: another process finishes what one left undone. */
export class Migration20261122000730AccountDeletions extends Migration {
  override up(): void {
    this.addSql(`alter table accounts
      add column deletion_started_at timestamptz(3),
      add column deletion_advanced_at timestamptz`);
    this.addSql(`create index accounts_being_deleted on accounts (id) where deletion_started_at is not null`);
  }
}
