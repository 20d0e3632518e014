import { Migration } from '@mikro-orm/migrations';

/** Recent lookup results shared by all processes, and the lookups in flight. */
export class Migration20261121000600SharedLooks extends Migration {
  override up(): void {
    // Unlogged: after a crash of the database it is empty, and the registries are queried again.
    this.addSql(`create unlogged table shared_looks (
      domain text primary key,
      flight bigint,
      until timestamptz,
      landed bigint,
      failure text,
      facts text,
      proof text,
      observed_at timestamptz(3),
      fresh_until timestamptz(3),
      ended_at timestamptz,
      changed_at timestamptz) with (fillfactor = 70)`);
    this.addSql(`create index shared_looks_changed on shared_looks (changed_at) where changed_at is not null`);
    this.addSql(`create sequence look_flights cache 1`);
  }
}
