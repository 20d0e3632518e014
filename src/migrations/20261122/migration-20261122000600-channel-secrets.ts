import { Migration } from '@mikro-orm/migrations';

/**
 * What types of channels from extensions keep secret: a target (with a keyed hash in `canonical_target`), and a credential
 * of the account. Sealed with the master key. A process of the version before knows none of these types.
 */
export class Migration20261122000600ChannelSecrets extends Migration {
  override up(): void {
    this.addSql(`alter table notification_channels
      add sealed_target text,
      add sealed_credential text`);
  }
}
