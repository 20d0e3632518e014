import { Migration } from '@mikro-orm/migrations';

/**
 * Mail that spares its readers: hours of channels, digests of what waits for their end, addresses that are asked to
 * agree. None of these refers to a channel by a foreign key: a writer here holds deliveries already, and would
 * wait for a channel's row behind a deletion that waits for the deliveries.
 */
export class Migration20261121000800CarefulMail extends Migration {
  override up(): void {
    this.addSql(`alter table notification_channels add confirmed_at timestamptz(3)`);

    this.addSql(`create index deliveries_of_digest on deliveries (digest_id) where digest_id is not null`);
    this.addSql(`create table mail_hours (
      channel_id text primary key,
      ends_at timestamptz(3) not null,
      mails integer not null,
      digest_id text)`);
    this.addSql(`create table mail_digests (
      id text primary key,
      channel_id text not null,
      due_at timestamptz(3) not null,
      failures integer not null,
      lease_token text,
      lease_until timestamptz)`);
    this.addSql(`create index mail_digests_due on mail_digests (due_at)`);

    // They outlive their channels: what was sent to an address counts after removals too.
    this.addSql(`create table mail_confirmations (
      id text primary key,
      account_id text not null,
      channel_id text not null,
      mailbox text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      failures integer not null,
      next_attempt_at timestamptz(3),
      lease_token text,
      lease_until timestamptz)`);
    this.addSql(`create index mail_confirmations_of_mailbox on mail_confirmations (mailbox, created_at)`);
    this.addSql(`create index mail_confirmations_of_account on mail_confirmations (account_id, created_at)`);
    this.addSql(`create index mail_confirmations_of_channel on mail_confirmations (channel_id)`);
    this.addSql(`create index mail_confirmations_due on mail_confirmations (next_attempt_at)
      where next_attempt_at is not null`);
  }
}
