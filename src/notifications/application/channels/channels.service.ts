import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { Clock } from '../../../kernel/clock.js';
import { PreconditionFailed } from '../../../kernel/precondition-failed.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { type HeaderChanges, headerChanges, withHeaders } from '../../domain/channels/custom-headers.js';
import { Deliveries } from '../../domain/deliveries/delivery.js';
import { NotificationChannel, NotificationChannels, type Wanted } from '../../domain/channels/notification-channel.js';
import {
  AlreadyNotified,
  ChannelNotFound,
  ChannelUnconfirmed,
  NoHeadersHere,
} from '../../domain/notifications.errors.js';
import { SecretKeeper, SigningSecret } from '../../domain/channels/signing-secret.js';
import type { Target } from '../../domain/channels/target.js';
import { ActivateChannel } from './activate-channel.js';

export interface OpenChannel extends Wanted {
  readonly type: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChangeChannel extends Wanted {
  /** A value of null takes the header away, null for all of them takes all. */
  readonly headers?: Readonly<Record<string, unknown>> | null | undefined;
  readonly active?: boolean | undefined;
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
    private readonly deliveries: Deliveries,
    private readonly senders: ChannelSenders,
    private readonly secrets: SecretKeeper,
    private readonly activate: ActivateChannel,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws ChannelTypeUnknown, HeaderRefused, TargetInvalid, TargetNotAllowed, AlreadyNotified, PlanLimitReached. */
  open(account: Caller['account'], { type, target: asked, headers, ...wanted }: OpenChannel): Promise<OpenedChannel> {
    const sender = this.senders.of(type);
    const changes = this.headersFor(type, headers);
    const target = sender.targetOf(asked);
    return this.work.run(async () => {
      await this.admit(account, type, target);
      const channel = NotificationChannel.open(account.id, type, target, this.clock.now(), wanted);
      const secret = sender.signs ? SigningSecret.generate() : null;
      if (secret) channel.signWith(this.secrets.seal(secret, channel.id), channel.createdAt, 0);
      channel.carry(this.sealed(changes, channel.id));
      await this.activate.run(channel);
      await this.channels.add(channel);
      return { channel, secret };
    });
  }

  /**
   * Changes what is named, in one go, or nothing.
   * @param isExpected whether the channel is still as the caller saw it, asked while nobody else can change it
   * @throws ChannelNotFound, PreconditionFailed, HeaderRefused, ChannelUnconfirmed
   */
  async change(
    accountId: string,
    id: string,
    { headers, active, ...wanted }: ChangeChannel,
    isExpected: (channel: NotificationChannel) => boolean = () => true,
  ): Promise<void> {
    const isRefused = await this.work.run(async () => {
      const channel = await this.owned(accountId, id);
      if (!isExpected(channel)) throw new PreconditionFailed();
      channel.forgetDeadSecrets(this.clock.now());
      const changes = this.judged(channel, headers);
      if (active === true && !channel.active && (await this.activate.run(channel)) === 'unconfirmed') return true;
      channel.want(wanted);
      channel.carry(this.sealed(changes, id));
      if (active === false) await this.switchOff(channel);
      return false;
    });
    if (isRefused) throw new ChannelUnconfirmed(); // once the question is written down
  }

  /** With its deliveries: from now on nothing is sent. @throws ChannelNotFound */
  close(accountId: string, id: string): Promise<void> {
    return this.work.run(async () => this.channels.remove(await this.owned(accountId, id)));
  }

  private async owned(accountId: string, id: string): Promise<NotificationChannel> {
    const channel = await this.channels.findLocked(id, accountId);
    if (!channel) throw new ChannelNotFound();
    return channel;
  }

  private async switchOff(channel: NotificationChannel): Promise<void> {
    channel.switchOff(this.clock.now());
    await this.deliveries.pauseAllFor([channel.id]);
  }

  private headersFor(type: string, asked: OpenChannel['headers'] = {}): HeaderChanges {
    const changes = headerChanges(asked);
    const taken = this.senders.find(type)?.takesHeaders === true;
    if (!taken && Object.keys(changes).length > 0) throw new NoHeadersHere(type);
    return changes;
  }

  /** Before anything is done: a refusal leaves no trace. @throws HeaderRefused */
  private judged(channel: NotificationChannel, asked: ChangeChannel['headers']): HeaderChanges {
    if (asked === null) return Object.fromEntries(Object.keys(channel.headers).map((name) => [name, null]));
    const changes = this.headersFor(channel.type, asked);
    withHeaders(channel.headers, changes);
    return changes;
  }

  private sealed(changes: HeaderChanges, channelId: string): HeaderChanges {
    const seal = (value: string | null) => (value === null ? null : this.secrets.sealHeader(value, channelId));
    return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, seal(value)]));
  }

  /** Counting comes first: it holds off other openings of the account, so two at once see each other. */
  private async admit(account: Caller['account'], type: string, target: Target): Promise<void> {
    const held = await this.channels.heldBy(account.id);
    const existing = await this.channels.withTarget(account.id, type, target.canonical);
    if (existing) throw new AlreadyNotified(existing.id);
    account.plan.admitOneMore('channels', held);
  }
}
