import { Migration } from '@mikro-orm/migrations';

/** The order of events outlives their database, and the streams of an account are counted over all processes. */
export class Migration20261121000710EventOrder extends Migration {
  override up(): void {
    // Transactions are numbered from the start in a database that a dump was restored into: by how much its numbers are ahead there.
    this.addSql(`create table event_order (ahead bigint not null)`);
    this.addSql(`insert into event_order values (0)`);
    this.addSql(`create index events_by_xid on events (xid)`);

    this.addSql(`create table event_stream_places (
      account_id text not null,
      token text primary key,
      until timestamptz not null)`);
    this.addSql(`create index event_stream_places_of_account on event_stream_places (account_id)`);
  }
}
