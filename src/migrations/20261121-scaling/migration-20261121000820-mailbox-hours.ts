import { Migration } from '@mikro-orm/migrations';

/**
 * Hours of mailboxes instead of channels: one that is removed and added again goes on in the hour it had. What waits in
 * a digest goes out when it is due, whichever hour it began in.
 */
export class Migration20261121000820MailboxHours extends Migration {
  override up(): void {
    this.addSql(`drop table mail_hours`);
    this.addSql(`create table mail_hours (
      mailbox text primary key,
      ends_at timestamptz(3) not null,
      mails integer not null,
      digests jsonb not null)`);
  }
}
