import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import { TARGET_HASH } from '../../platform/crypto/sealed-columns.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { ChannelSender, Message } from '../domain/channel-sender.js';
import type { HeaderChanges } from '../domain/custom-headers.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SigningSecret } from '../domain/signing-secret.js';
import { maskTarget, type Target } from '../domain/target.js';

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

interface ParsedSettings {
  readonly sender: ChannelSender;
  readonly target: Target;
  /** null for types without. */
  readonly credential: string | null;
}

/** Entries, and milliseconds that each is kept. */
const CACHE = { max: 1_000, ttl: 60_000 };

/** Seals what a channel keeps secret with the master key, each text bound to its channel and purpose. */
@Injectable()
export class ChannelSecrets implements OnModuleInit {
  /** Signing needs the secret at each attempt. A rotated secret has another seal, so entries never become stale. */
  private readonly signing = new LRUCache<string, SigningSecret>(CACHE);
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

  /**
   * The forms in which an equal target may be stored: for a secret one its keyed hashes, the current one first, then
   * those of earlier master keys.
   */
  toStoredTargets({ hasSecretTarget }: ChannelSender, { canonical }: Target): readonly string[] {
    return hasSecretTarget ? this.box.hashes(canonical, TARGET_HASH) : [canonical];
  }

  /** @returns the signing secret, to be shown once; null for types without signatures */
  sealAll(channel: NotificationChannel, { sender, target, credential }: ParsedSettings): SigningSecret | null {
    if (sender.hasSecretTarget) this.hideTarget(channel, target);
    if (credential !== null) this.sealCredential(channel, credential);
    return sender.secret === 'signing' ? this.sealNewSecret(channel, channel.createdAt, 0) : null;
  }

  /** @returns the secret, to be shown once */
  sealNewSecret(channel: NotificationChannel, now: Date, graceMs: number): SigningSecret {
    const secret = SigningSecret.generate();
    channel.setSecret(this.box.seal(secret.text, contextOf(channel.id)), now, graceMs);
    return secret;
  }

  sealCredential(channel: NotificationChannel, credential: string): void {
    channel.setCredential(this.box.seal(credential, `credential of ${contextOf(channel.id)}`));
  }

  sealHeaders(changes: HeaderChanges, channelId: string): HeaderChanges {
    const context = `headers of ${contextOf(channelId)}`;
    const seal = (value: string | null) => (value === null ? null : this.box.seal(value, context));
    return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, seal(value)]));
  }

  /** A channel as its sender needs it: with its secrets in clear. @throws when a seal does not open */
  open(channel: NotificationChannel, at: Date): Message['channel'] {
    const { id, accountId, canonicalTarget, sealedTarget, sealedCredential } = channel;
    const context = contextOf(id);
    const openHeader = (sealed: string) => this.box.open(sealed, `headers of ${context}`);
    return {
      id,
      accountId,
      target: sealedTarget === null ? canonicalTarget : this.openCached(sealedTarget, `target of ${context}`),
      credential: sealedCredential === null ? null : this.openCached(sealedCredential, `credential of ${context}`),
      secrets: channel.activeSecrets(at).map((sealed) => this.openSigningSecret(sealed, context)),
      headers: Object.fromEntries(Object.entries(channel.headers).map(([name, value]) => [name, openHeader(value)])),
    };
  }

  private hideTarget(channel: NotificationChannel, target: Target): void {
    const [hash] = this.box.hashes(target.canonical, TARGET_HASH);
    const sealed = this.box.seal(target.canonical, `target of ${contextOf(channel.id)}`);
    channel.hideTarget(maskTarget(target), hash, sealed);
  }

  private openSigningSecret(sealed: string, context: string): SigningSecret {
    const key = `${context} ${sealed}`;
    const secret = this.signing.get(key) ?? SigningSecret.restore(this.box.open(sealed, context));
    if (!this.signing.has(key)) this.signing.set(key, secret);
    return secret;
  }

  private openCached(sealed: string, context: string): string {
    const key = `${context} ${sealed}`;
    const text = this.opened.get(key) ?? this.box.open(sealed, context);
    if (!this.opened.has(key)) this.opened.set(key, text);
    return text;
  }
}

function contextOf(channelId: string): string {
  return `notification channel ${channelId}`;
}
