import { Migration } from 'namewatch/mikro-orm';

export class CreateDrops extends Migration {
  override up(): void {
    this.addSql(`create table my_extension_drops (
      event_id text primary key,
      account_id text not null,
      domain text not null,
      at timestamptz(3) not null)`);
    this.addSql('create index my_extension_drops_of_account on my_extension_drops (account_id)');
  }
}
