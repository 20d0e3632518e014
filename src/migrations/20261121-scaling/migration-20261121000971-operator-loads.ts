import { Migration } from '@mikro-orm/migrations';

/** How much later than promised looks come at each operator, since its budget grants no more. */
export class Migration20261121000971OperatorLoads extends Migration {
  override up(): void {
    this.addSql(`create table operator_loads (
      operator text primary key,
      delay_minutes double precision not null,
      measured_at timestamptz not null)`);
  }
}
