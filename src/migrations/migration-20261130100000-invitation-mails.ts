import { Migration } from '@mikro-orm/migrations';

/** How the mail of an invitation stands, and the lease of who sends it. */
export class Migration20261130100000InvitationMails extends Migration {
  override up(): void {
    this.addSql(`
      alter table invitations
        add column mail text not null default 'none' check (mail in ('none', 'waiting', 'sent', 'failed')),
        add column mail_failures integer not null default 0,
        add column mail_due_at timestamptz(3),
        add column mail_counted_until timestamptz(3),
        add column mail_lease_token text,
        add column mail_lease_until timestamptz`);
  }
}

/** Read every few seconds, with hardly any rows. */
export class Migration20261130100100DueInvitationMails extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists invitations_mail_due on invitations (mail_due_at) where mail = 'waiting'`,
    );
  }
}
