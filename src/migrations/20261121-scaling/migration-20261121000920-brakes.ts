import { Migration } from '@mikro-orm/migrations';

/** Sudden drops by operator and time, and the TLDs whose drops are held back. */
export class Migration20261121000920Brakes extends Migration {
  override up(): void {
    this.addSql(`create table operator_drops (
      operator text not null,
      at timestamptz(3) not null,
      drops integer not null,
      primary key (operator, at))`);
    this.addSql(`create table brakes (
      operator text not null,
      tld text not null,
      held_since timestamptz(3),
      cleared_at timestamptz(3),
      primary key (operator, tld))`);
  }
}
