import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ChannelSenders } from '../domain/channel-sender.js';
import { NotificationChannel, NotificationChannels } from '../domain/notification-channel.js';
import { AlreadyNotified } from '../domain/notifications.errors.js';
import { SecretKeeper, SigningSecret } from '../domain/signing-secret.js';
import type { Target } from '../domain/target.js';

export interface OpenChannel {
  readonly type: string;
  readonly target: string;
}

export interface OpenedChannel {
  readonly channel: NotificationChannel;
  /** Shown now and never again; null for types without signatures. */
  readonly secret: SigningSecret | null;
}

/** The channels of an account. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly channels: NotificationChannels,
    private readonly senders: ChannelSenders,
    private readonly secrets: SecretKeeper,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws ChannelTypeUnknown, TargetInvalid, TargetNotAllowed, AlreadyNotified, PlanLimitReached. */
  open(account: Caller['account'], { type, target: asked }: OpenChannel): Promise<OpenedChannel> {
    const sender = this.senders.of(type);
    const target = sender.targetOf(asked);
    return this.work.run(async () => {
      await this.admit(account, type, target);
      const channel = NotificationChannel.open(account.id, type, target, this.clock.now());
      const secret = sender.signs ? SigningSecret.generate() : null;
      if (secret) channel.signWith(this.secrets.seal(secret, channel.id));
      this.channels.add(channel);
      return { channel, secret };
    });
  }

  /** Counting comes first: it holds off other openings of the account, so two at once see each other. */
  private async admit(account: Caller['account'], type: string, target: Target): Promise<void> {
    const held = await this.channels.heldBy(account.id);
    const existing = await this.channels.withTarget(account.id, type, target.canonical);
    if (existing) throw new AlreadyNotified(existing.id);
    account.plan.admitOneMore('channels', held);
  }
}
