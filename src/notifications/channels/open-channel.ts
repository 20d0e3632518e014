import type { Message } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { SecretCipher } from './secret-box-cipher.js';

/** A channel as its sender needs it: with its secrets in clear. @throws when a seal does not open */
export function openChannel(channel: NotificationChannel, cipher: SecretCipher, at: Date): Message['channel'] {
  const { id, accountId, canonicalTarget, sealedTarget, sealedCredential } = channel;
  const headers = Object.entries(channel.headers).map(([name, sealed]) => [name, cipher.openHeader(sealed, id)]);
  return {
    ...{ id, accountId },
    target: sealedTarget === null ? canonicalTarget : cipher.openTarget(sealedTarget, id),
    credential: sealedCredential === null ? null : cipher.openCredential(sealedCredential, id),
    secrets: channel.activeSecrets(at).map((sealed) => cipher.open(sealed, id)),
    headers: Object.fromEntries(headers) as Record<string, string>,
  };
}
