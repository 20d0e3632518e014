import { Migration } from '@mikro-orm/migrations';

/**
 * Deliveries that are inserted together are attempted together. So a page needs room for a second version of all of its
 * rows: else most starts of attempts write new entries to five indexes, and most ends one more. What that writes is more
 * than the space that is left free.
 */
export class Migration20261122000870LightDeliveries extends Migration {
  override up(): void {
    this.addSql(`alter table deliveries set (fillfactor = 50)`);
    this.addSql(`alter table delivery_attempts set (fillfactor = 45)`); // its end makes a row longer
  }
}
