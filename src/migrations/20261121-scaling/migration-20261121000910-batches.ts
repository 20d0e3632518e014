import { Migration } from '@mikro-orm/migrations';

/** Leases have their operator, for counting its running checks, and the number of unfinished starts. */
export class Migration20261121000910Batches extends Migration {
  override up(): void {
    this.addSql(`alter table leases
      add column operator text not null default '',
      add column starts smallint not null default 1`);
    this.addSql(`create index leases_of_operator on leases (operator, until)`);
  }
}
