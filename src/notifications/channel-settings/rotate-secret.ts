import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { describeSenderType } from '../domain/channel-sender.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { ChannelNotFound, SecretNotSupported } from '../domain/notifications.errors.js';
import { SigningSecret } from '../domain/signing-secret.js';
import { SecretCipher } from '../channels/secret-box-cipher.js';
import { channelEntry } from '../channels/channel-audit.js';

/** Replaces a channel's secret; the older ones sign too during the grace period. */
@Injectable()
export class RotateSecret {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly secrets: SecretCipher,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /**
   * @returns the new secret, shown once
   * @throws ChannelNotFound, SecretNotSupported
   */
  run(accountId: string, id: string, graceSeconds: number): Promise<SigningSecret> {
    const graceMs = Math.round(graceSeconds * this.units.second);
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(id, accountId);
      if (!channel) throw new ChannelNotFound();
      if (channel.sealedSecret === null) throw new SecretNotSupported(describeSenderType(channel.type));
      const secret = SigningSecret.generate();
      channel.setSecret(this.secrets.seal(secret, id), this.clock.now(), graceMs);
      const after = { grace_seconds: graceSeconds };
      await this.audit.record(channelEntry('channel.secret_rotated', channel, { after }));
      return secret;
    });
  }
}
