import { Migration } from '@mikro-orm/migrations';
import { readFileSync } from 'node:fs';

/** Creates the whole schema. All later migrations add to it. */
export class Migration20261219070000Baseline extends Migration {
  override up(): void {
    this.addSql(readFileSync(new URL('baseline.sql', import.meta.url), 'utf8'));
  }
}
