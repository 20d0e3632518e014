import { Migration } from '@mikro-orm/migrations';

/**
 * Mailboxes that unsubscribed from an account, whatever becomes of its channels; at first those whose channel says so
 * now (the expression is `mailboxKey` in SQL). An index for the channels that wait for a mail relay.
 */
export class Migration20261122000500MailSuppressions extends Migration {
  override up(): void {
    this.addSql(`create table mail_suppressions (
      account_id text not null references accounts (id) on delete cascade,
      mailbox text not null,
      created_at timestamptz(3) not null,
      primary key (account_id, mailbox))`);
    this.addSql(`insert into mail_suppressions (account_id, mailbox, created_at)
      select account_id, mailbox, min(coalesce(disabled_at, created_at)) from (
        select account_id, disabled_at, created_at,
          encode(sha256(convert_to(
            regexp_replace(lower(split_part(canonical_target, '@', 1)), '(?<=.)\\+.*$', '')
              || '@' || lower(split_part(canonical_target, '@', 2)), 'UTF8')), 'hex') as mailbox
        from notification_channels where type = 'email' and reason = 'unsubscribed') as unsubscribed
      group by account_id, mailbox`);

    // queried every minute, with hardly any rows; channels are few enough for an index that is made at once.
    this.addSql(`create index notification_channels_without_relay on notification_channels (id)
      where reason = 'mail_not_configured'`);
  }
}
