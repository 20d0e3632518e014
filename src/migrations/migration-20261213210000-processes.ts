import { Migration } from '@mikro-orm/migrations';

/** What operators want to know at a glance. */
export class Migration20261213210000Processes extends Migration {
  override up(): void {
    this.addSql(`create unlogged table processes (
      id text primary key,
      role text not null,
      version text not null,
      host text not null,
      pid integer not null,
      master_keys text[] not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now())`);
    this.addSql(`comment on table processes is
      'Each process of the service, which writes its row every half minute. A row is forgotten after a day, and all are in a crash.'`);
    this.addSql(`comment on column processes.master_keys is
      'Ids of the keys in its settings, by which it could open the data key at its next start.'`);
    this.addSql(`create table last_backup (
      one boolean primary key default true,
      taken_at timestamptz not null,
      bytes bigint not null,
      constraint is_one check (one))`);
    this.addSql(`comment on table last_backup is 'The newest backup of this database that was finished.'`);
  }
}
