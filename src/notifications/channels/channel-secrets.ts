import { Injectable } from '@nestjs/common';
import type { ChannelSender } from '../domain/channel-sender.js';
import type { HeaderChanges } from '../domain/custom-headers.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SigningSecret } from '../domain/signing-secret.js';
import { SecretCipher } from './secret-box-cipher.js';
import { maskTarget, type Target } from '../domain/target.js';

interface ParsedSettings {
  readonly sender: ChannelSender;
  readonly target: Target;
  /** null for types without. */
  readonly credential: string | null;
}

/** Seals what the type of a channel keeps secret. */
@Injectable()
export class ChannelSecrets {
  constructor(private readonly cipher: SecretCipher) {}

  /** The forms in which an equal target may be stored: for a secret one its hashes, one for each master key. */
  toStoredTargets({ hasSecretTarget }: ChannelSender, { canonical }: Target): readonly string[] {
    return hasSecretTarget ? this.cipher.hashTarget(canonical) : [canonical];
  }

  /** @returns the signing secret, to be shown once; null for types without signatures */
  sealAll(channel: NotificationChannel, { sender, target, credential }: ParsedSettings): SigningSecret | null {
    if (sender.hasSecretTarget) this.hideTarget(channel, target);
    if (credential !== null) this.sealCredential(channel, credential);
    if (sender.secret !== 'signing') return null;
    const secret = SigningSecret.generate();
    channel.setSecret(this.cipher.seal(secret, channel.id), channel.createdAt, 0);
    return secret;
  }

  sealCredential(channel: NotificationChannel, credential: string): void {
    channel.setCredential(this.cipher.sealCredential(credential, channel.id));
  }

  sealHeaders(changes: HeaderChanges, channelId: string): HeaderChanges {
    const seal = (value: string | null) => (value === null ? null : this.cipher.sealHeader(value, channelId));
    return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, seal(value)]));
  }

  private hideTarget(channel: NotificationChannel, target: Target): void {
    const [hash] = this.cipher.hashTarget(target.canonical);
    channel.hideTarget(maskTarget(target), hash, this.cipher.sealTarget(target.canonical, channel.id));
  }
}
