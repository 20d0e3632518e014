import { Migration } from '@mikro-orm/migrations';

/** Replies kept for those who ask again with the same Idempotency-Key. */
export class Migration20261121000941Idempotency extends Migration {
  override up(): void {
    // The scope is a digest of account, path and key: neither the key nor the request is here to be read.
    this.addSql(`create table idempotent_replies (
      scope text primary key,
      account_id text not null references accounts (id) on delete cascade,
      sealed text,
      claim uuid,
      claimed_until timestamptz(3),
      kept_until timestamptz(3) not null)`);
    this.addSql(`create index idempotent_replies_ended on idempotent_replies (kept_until)`);
    this.addSql(`create index idempotent_replies_of_account on idempotent_replies (account_id)`);
  }
}
