import { Migration } from '@mikro-orm/migrations';

/** How late the names of an operator are is read where it is shown. */
export class Migration20261208100000WithoutOperatorLoads extends Migration {
  override up(): void {
    this.addSql('drop table operator_loads');
  }
}
