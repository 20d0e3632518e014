import { Migration } from '@mikro-orm/migrations';

/**
 * The first that are due are read off an index that has them in order, hosts and channels included. By the plain one
 * PostgreSQL, which expects next to nothing to wait, sorted a whole backlog with every claim instead.
 */
export class Migration20261121000960NextDeliveries extends Migration {
  override up(): void {
    this.addSql(`create index deliveries_next on deliveries (next_attempt_at, host, channel_id)
      where state = 'pending' and digest_id is null`);
    this.addSql(`drop index deliveries_due`);
  }
}
