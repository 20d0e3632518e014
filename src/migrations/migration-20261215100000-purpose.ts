import { Migration } from '@mikro-orm/migrations';

/** What a name is watched for is called its purpose everywhere. */
export class Migration20261215100000Purpose extends Migration {
  override up(): void {
    this.addSql('alter table watch_entries rename column intent to purpose');
  }
}
