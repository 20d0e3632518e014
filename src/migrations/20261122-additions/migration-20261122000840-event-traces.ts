import { Migration } from '@mikro-orm/migrations';

/**
 * The trace that an event came from, for the spans of its deliveries. null is what a process of the version before
 * writes, and what is written while nothing is traced.
 */
export class Migration20261122000840EventTraces extends Migration {
  override up(): void {
    this.addSql(`alter table events add column if not exists traceparent text`);
  }
}
