import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import { TARGET_HASH } from '../../platform/crypto/sealed-columns.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { SigningSecret } from '../domain/signing-secret.js';

const KEYS_IN_USE = {
  name: 'channel_keys_in_use',
  text: `select split_part(sealed, '.', 1) as key, count(*)::integer as secrets
         from notification_channels, lateral (
           select sealed_secret as sealed where sealed_secret is not null
           union all select sealed_target where sealed_target is not null
           union all select sealed_credential where sealed_credential is not null
           union all select secret ->> 'sealed' from jsonb_array_elements(older_secrets) as secret
             where (secret ->> 'until')::timestamptz > now()
           union all select value from jsonb_each_text(headers)) as held
         group by 1 order by 1`,
};

/** Entries, and milliseconds that each is kept. */
const CACHE = { max: 1_000, ttl: 60_000 };

interface SecretKey {
  readonly key: string;
  readonly secrets: number;
}

/** One line for each master key that stored secrets need and the settings lack. */
export async function missingSecretKeys(
  inUse: (statement: string) => Promise<readonly SecretKey[]>,
  box: SecretBox,
): Promise<string[]> {
  return (await inUse(KEYS_IN_USE.text))
    .filter(({ key }) => !box.hasKey(key))
    .map(({ key, secrets }) => `MASTER_KEY_PREVIOUS lacks the key ${key}: ${secrets} channel secrets need it`);
}

/** Seals the secrets of channels with the master key, each bound to its channel and purpose. */
@Injectable()
export class SecretCipher implements OnModuleInit {
  /** Signing needs the secret at each attempt. A rotated secret has another seal, so entries never become stale. */
  private readonly cache = new LRUCache<string, SigningSecret>(CACHE);
  private readonly opened = new LRUCache<string, string>(CACHE);

  constructor(
    private readonly box: SecretBox,
    private readonly statements: SqlClient,
  ) {}

  /** A missing key fails at startup, not at the first delivery. */
  async onModuleInit(): Promise<void> {
    const missing = await missingSecretKeys(() => this.statements.run<SecretKey>(KEYS_IN_USE), this.box);
    if (missing.length > 0) throw new InvalidConfigurationError(missing);
  }

  seal(secret: SigningSecret, channelId: string): string {
    return this.box.seal(secret.text, sealContext(channelId));
  }

  open(sealed: string, channelId: string): SigningSecret {
    const key = `${channelId} ${sealed}`;
    const secret = this.cache.get(key) ?? SigningSecret.restore(this.box.open(sealed, sealContext(channelId)));
    if (!this.cache.has(key)) this.cache.set(key, secret);
    return secret;
  }

  sealHeader(value: string, channelId: string): string {
    return this.box.seal(value, `headers of ${sealContext(channelId)}`);
  }

  openHeader(sealed: string, channelId: string): string {
    return this.box.open(sealed, `headers of ${sealContext(channelId)}`);
  }

  sealTarget(target: string, channelId: string): string {
    return this.box.seal(target, `target of ${sealContext(channelId)}`);
  }

  openTarget(sealed: string, channelId: string): string {
    return this.openCached(sealed, `target of ${sealContext(channelId)}`);
  }

  sealCredential(credential: string, channelId: string): string {
    return this.box.seal(credential, `credential of ${sealContext(channelId)}`);
  }

  openCredential(sealed: string, channelId: string): string {
    return this.openCached(sealed, `credential of ${sealContext(channelId)}`);
  }

  /**
   * Keyed hashes by which an equal target is found without being stored: the current one first, then those of earlier
   * master keys.
   */
  hashTarget(target: string): readonly [string, ...string[]] {
    return this.box.hashes(target, TARGET_HASH);
  }

  private openCached(sealed: string, belongsTo: string): string {
    const key = `${belongsTo} ${sealed}`;
    const text = this.opened.get(key) ?? this.box.open(sealed, belongsTo);
    if (!this.opened.has(key)) this.opened.set(key, text);
    return text;
  }
}

function sealContext(channelId: string): string {
  return `notification channel ${channelId}`;
}
