import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InvalidConfigurationError } from '../../../config/config.js';
import { SecretBox } from '../../../platform/crypto/secret-box.js';
import { Statements } from '../../../platform/database/sql-client.js';
import { SecretKeeper, SigningSecret } from '../../domain/channels/signing-secret.js';

const KEYS_IN_USE = {
  name: 'channel_keys_in_use',
  text: `select split_part(sealed, '.', 1) as key, count(*)::integer as secrets
         from notification_channels, lateral (
           select sealed_secret as sealed where sealed_secret is not null
           union all select secret ->> 'sealed' from jsonb_array_elements(older_secrets) as secret
             where (secret ->> 'until')::timestamptz > now()
           union all select value from jsonb_each_text(headers)) as held
         group by 1 order by 1`,
};

/** So many are kept open, each for so long after it was opened; milliseconds. */
const OPEN = { max: 1_000, ttl: 60_000 };

interface SecretKey {
  readonly key: string;
  readonly secrets: number;
}

/** One line for each master key that webhook secrets need and this process was not given. */
export async function missingSecretKeys(
  inUse: (statement: string) => Promise<readonly SecretKey[]>,
  box: SecretBox,
): Promise<string[]> {
  return (await inUse(KEYS_IN_USE.text))
    .filter(({ key }) => !box.has(key))
    .map(({ key, secrets }) => `MASTER_KEY_PREVIOUS lacks the key ${key}: ${secrets} webhook secrets need it`);
}

/** Webhook secrets, sealed with the master key for the channel they belong to. */
@Injectable()
export class SealedSecrets extends SecretKeeper implements OnModuleInit {
  /** A channel that is told a lot is signed for with every attempt. A new seal is another key, so none is outdated. */
  private readonly opened = new LRUCache<string, SigningSecret>(OPEN);

  constructor(
    private readonly box: SecretBox,
    private readonly statements: Statements,
  ) {
    super();
  }

  /** A key that is missing shows at the start, not at the first event that nobody can sign. */
  async onModuleInit(): Promise<void> {
    const missing = await missingSecretKeys(() => this.statements.run<SecretKey>(KEYS_IN_USE), this.box);
    if (missing.length > 0) throw new InvalidConfigurationError(missing);
  }

  seal(secret: SigningSecret, channelId: string): string {
    return this.box.seal(secret.text, placeOf(channelId));
  }

  open(sealed: string, channelId: string): SigningSecret {
    const key = `${channelId} ${sealed}`;
    const open = this.opened.get(key) ?? SigningSecret.restore(this.box.open(sealed, placeOf(channelId)));
    if (!this.opened.has(key)) this.opened.set(key, open);
    return open;
  }

  sealHeader(value: string, channelId: string): string {
    return this.box.seal(value, `headers of ${placeOf(channelId)}`);
  }

  openHeader(sealed: string, channelId: string): string {
    return this.box.open(sealed, `headers of ${placeOf(channelId)}`);
  }
}

function placeOf(channelId: string): string {
  return `notification channel ${channelId}`;
}
