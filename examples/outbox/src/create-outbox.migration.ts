import { Migration } from 'namewatch/mikro-orm';

export class CreateOutbox extends Migration {
  override up(): void {
    this.addSql(`create table outbox_messages (
      event_id text primary key,
      sequence bigint generated always as identity unique,
      account_id text not null,
      entry_id text not null,
      type text not null,
      occurred_at timestamptz(3) not null,
      data jsonb not null,
      failures integer not null default 0,
      due_at timestamptz(3) not null)`);
    this.addSql('create index outbox_messages_of_entry on outbox_messages (entry_id, sequence)');
    this.addSql('create index outbox_messages_of_account on outbox_messages (account_id)');
  }
}
