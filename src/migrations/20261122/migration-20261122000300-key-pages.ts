import { Migration } from '@mikro-orm/migrations';

/**
 * Keys say who issued them, accounts can be suspended. Lists and the cap read live keys only, and pruning finds what
 * ended, however many keys were revoked.
 */
export class Migration20261122000300KeyPages extends Migration {
  override up(): void {
    this.addSql(`alter table api_keys add column if not exists issued_by text`);
    this.addSql(`alter table accounts add column if not exists suspended_at timestamptz(3)`);
    this.addSql(`create index if not exists api_keys_unrevoked on api_keys (account_id, id) where revoked_at is null`);
    this.addSql(`create index if not exists api_keys_ended on api_keys (least(revoked_at, expires_at))
      where revoked_at is not null or expires_at is not null`);
  }
}
