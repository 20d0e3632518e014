import { Migration } from '@mikro-orm/migrations';

/** The extensions without which no process may start, since their subscribers record every change. */
export class Migration20261122000610Extensions extends Migration {
  override up(): void {
    this.addSql(`create table extensions (
      name text primary key,
      compatibility text not null,
      since timestamptz(3) not null default now())`);
  }
}
