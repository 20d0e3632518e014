import { Migration } from '@mikro-orm/migrations';

/**
 * Digests of chats. A table of their own, since a process of the version before claims what is due in `mail_digests`, and
 * pauses the deliveries of a channel type that it does not know. No foreign key, for the reason given there.
 */
export class Migration20261122000820ChatDigests extends Migration {
  override up(): void {
    this.addSql(`create table chat_digests (
      id text primary key,
      channel_id text not null,
      account_id text not null,
      host text not null,
      due_at timestamptz(3) not null,
      failures integer not null,
      lease_token text,
      lease_until timestamptz)`);
    this.addSql(`create index chat_digests_due on chat_digests (due_at)`);
    this.addSql(`create index chat_digests_of_account on chat_digests (account_id)`);
  }
}
