import { Migration } from '@mikro-orm/migrations';
import { readFileSync } from 'node:fs';

/** The first schema. All later ones add to it. */
export class Migration20261218100000Baseline extends Migration {
  override up(): void {
    this.addSql(readFileSync(new URL('baseline.sql', import.meta.url), 'utf8'));
  }
}
