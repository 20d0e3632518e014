import { Migration } from '@mikro-orm/migrations';

/** How much later than planned the checks of each operator run, since its rate limit allows no more. */
export class Migration20261121000971OperatorLoads extends Migration {
  override up(): void {
    this.addSql(`create table operator_loads (
      operator text primary key,
      delay_minutes double precision not null,
      measured_at timestamptz not null)`);
  }
}
