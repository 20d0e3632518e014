import { Migration } from 'namewatch/mikro-orm';

export class CreateLedger extends Migration {
  override up(): void {
    this.addSql(`create table ledger_entries (
      event_id text primary key,
      account_id text not null,
      domain text not null,
      previous_status text not null,
      status text not null,
      at timestamptz(3) not null)`);
    this.addSql('create index ledger_entries_of_account on ledger_entries (account_id, at, event_id)');
  }
}
