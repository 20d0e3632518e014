import { Migration } from '@mikro-orm/migrations';

/**
 * Deliveries that take places for urgent messages; those that wait already are routine. Hours of mailboxes become windows of
 * receivers, which chats have too, with the places that each name has taken.
 */
export class Migration20261123000510UrgentMessages extends Migration {
  override up(): void {
    this.addSql(`alter table deliveries add urgent boolean not null default false`);
    this.addSql(`drop table mail_hours`);
    this.addSql(`create table message_quotas (
      key text primary key,
      ends_at timestamptz(3) not null,
      used jsonb not null,
      digests jsonb not null)`);
  }
}
