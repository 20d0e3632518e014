import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import type { ChannelSender, Message } from '../domain/channel-sender.js';
import type { HeaderChanges } from '../domain/custom-headers.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SigningSecret } from '../domain/signing-secret.js';
import { maskTarget, type Target } from '../domain/target.js';

const TARGET_HASH = 'channel targets';

interface ParsedSettings {
  readonly sender: ChannelSender;
  readonly target: Target;
  /** null if the type takes no credential. */
  readonly credential: string | null;
}

/**
 * Encrypts and decrypts secrets of channels. Each encrypted text can be decrypted only for the same channel and
 * purpose.
 */
@Injectable()
export class ChannelSecrets {
  /** Caches secrets by channel and encrypted text. A new secret has a new encrypted text, so no entry becomes stale. */
  private readonly opened = new LRUCache<string, string>({ max: 1_000, ttl: 60_000 });

  constructor(private readonly box: SecretBox) {}

  /** Returns the text by which the database finds equal targets. For a secret target, returns a keyed hash. */
  toStoredTarget({ hasSecretTarget }: ChannelSender, { canonical }: Target): string {
    return hasSecretTarget ? this.box.hash(canonical, TARGET_HASH) : canonical;
  }

  /** Encrypts a channel's secrets. @returns the signing secret, or null if the type does not sign */
  sealAll(channel: NotificationChannel, { sender, target, credential }: ParsedSettings): SigningSecret | null {
    if (sender.hasSecretTarget) this.hideTarget(channel, target);
    if (credential !== null) this.sealCredential(channel, credential);
    return sender.secret === 'signing' ? this.sealNewSecret(channel, channel.createdAt, 0) : null;
  }

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

  /** Decrypts a channel's secrets for its sender. @throws if a secret cannot be decrypted */
  open(channel: NotificationChannel, at: Date): Message['channel'] {
    const { id, accountId, canonicalTarget, sealedTarget, sealedCredential } = channel;
    const context = contextOf(id);
    const openHeader = (sealed: string) => this.box.open(sealed, `headers of ${context}`);
    return {
      id,
      accountId,
      target: sealedTarget === null ? canonicalTarget : this.openCached(sealedTarget, `target of ${context}`),
      credential: sealedCredential === null ? null : this.openCached(sealedCredential, `credential of ${context}`),
      secrets: channel.activeSecrets(at).map((sealed) => SigningSecret.restore(this.openCached(sealed, context))),
      headers: Object.fromEntries(Object.entries(channel.headers).map(([name, value]) => [name, openHeader(value)])),
    };
  }

  private hideTarget(channel: NotificationChannel, target: Target): void {
    const hash = this.box.hash(target.canonical, TARGET_HASH);
    const sealed = this.box.seal(target.canonical, `target of ${contextOf(channel.id)}`);
    channel.hideTarget(maskTarget(target), hash, sealed);
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
