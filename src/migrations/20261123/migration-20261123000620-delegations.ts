import { Migration } from '@mikro-orm/migrations';

/** When DNS delegated a name that its registry had no record of: a check keeps that veto while DNS gives no answer. */
export class Migration20261123000620Delegations extends Migration {
  override up(): void {
    this.addSql(`alter table shared_looks add delegated_at timestamptz(3)`);
  }
}
