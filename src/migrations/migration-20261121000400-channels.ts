import { Migration } from '@mikro-orm/migrations';

/** What accounts may ask of their channels beyond a target. */
export class Migration20261121000400Channels extends Migration {
  override up(): void {
    // Values are sealed with the master key.
    this.addSql(`alter table notification_channels
      add headers jsonb not null default '{}',
      add older_secrets jsonb not null default '[]'`);
  }
}
