import { Migration } from '@mikro-orm/migrations';

/** One row for each registry operator says whether and when it may be asked. */
export class Migration20261204100000RegistryLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table registry_operators
        add column full_at timestamptz,
        add column kept_for smallint,
        add column kept_until timestamptz`);
    this.addSql(`alter table registry_operators set (fillfactor = 50)`);
    this.addSql(`
      comment on table registry_operators is
        'Whether and when each operator may be asked. full_at: when its whole burst is free again. kept_for, kept_until: '
        'nothing less urgent is asked until then, because something more urgent was refused.'`);
  }
}

/** Tokens are counted in the row of the operator, and what runs at a time in each process. */
export class Migration20261204100100WithoutTokensAndSlots extends Migration {
  override up(): void {
    this.addSql('drop table registry_tokens');
    this.addSql('drop table registry_slots');
  }
}
