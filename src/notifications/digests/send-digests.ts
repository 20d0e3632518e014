import { Injectable, Logger } from '@nestjs/common';
import { DeliveryConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { Claim } from '../domain/delivery.js';
import { DeliveryRepository } from '../deliveries/deliveries.repository.js';
import { type PendingDigest, DigestRepository } from '../deliveries/digests.repository.js';
import { type Digest, type DigestKind, type DigestSender, sendsDigests } from '../domain/message-quota.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import { remainingLeaseMs, sendDigest, sendOpened } from '../deliveries/send-message.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { nextAttemptAt } from '../domain/retry-schedule.js';
import { affectsChannelHealth } from '../domain/notification-event.js';
import { MessageThrottle } from '../deliveries/message-throttle.js';
import { sendDueMessages } from './send-due-messages.js';

/** Mail relays limit connections; chats have hosts of their own. */
const CONCURRENCY: Readonly<Record<DigestKind, number>> = { mail: 5, chat: 10 };

interface DigestAttempt {
  readonly pending: PendingDigest;
  readonly channel: NotificationChannel;
  readonly sender: DigestSender;
  readonly digest: Omit<Digest, 'channel'>;
}

/**
 * Sends due digests, each recorded as an attempt at every delivery in it. A crash makes these attempts lost; the next
 * claim sends the digest again under the same Message-ID.
 */
@Injectable()
export class SendDigests {
  private readonly log = new Logger(SendDigests.name);

  constructor(
    private readonly digests: DigestRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly throttle: MessageThrottle,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: DeliveryConfig,
    private readonly units: TimeUnits,
    private readonly secrets: ChannelSecrets,
  ) {}

  /** Does nothing while sending is off. Safe to run in several processes at once. */
  async run(kind: DigestKind, stopSignal?: AbortSignal): Promise<void> {
    if (!this.config.sending) return;
    await sendDueMessages({
      concurrency: CONCURRENCY[kind],
      claimDue: (limit) => this.digests.claimDue(kind, this.clock.now(), limit),
      send: (claim, leasedAt) => this.send(claim, leasedAt),
      log: this.log,
      stopSignal,
    });
  }

  private async send(claim: Claim, leasedAt: number): Promise<void> {
    const attempt = await this.work.run(() => this.start(claim, leasedAt));
    if (!attempt) return;
    const startedAt = performance.now();
    const outcome = await this.trySend(attempt);
    const durationMs = Math.round(performance.now() - startedAt);
    await this.work.run(() => this.finish(claim, attempt, outcome, durationMs));
    const { pending, digest } = attempt;
    const about = { channel: pending.channelId, digest: pending.id, deliveries: digest.events.length };
    this.log.log({ ...about, outcome: outcome.outcome, durationMs }, 'digest attempted');
  }

  private async start(claim: Claim, leasedAt: number): Promise<DigestAttempt | null> {
    const pending = await this.digests.lockClaimed(claim);
    if (!pending) return null;
    const [channel] = await this.channels.findByIds([pending.channelId]);
    const sender = channel && this.senders.find(channel.type);
    if (channel && !sender) return null; // another process may know the type: claimed again after the lease
    // Before the events are read: this waits for the quota window's lock, which is held while deliveries are added to the digest.
    const isDigestible = channel !== undefined && sendsDigests(sender);
    if (isDigestible && pending.failures === 0) await this.throttle.count(channel, sender);
    const now = this.clock.now();
    const canSend = isDigestible && channel.active;
    const events = canSend ? await this.digests.startAttempts(pending, now) : [];
    if (!canSend || events.length === 0) {
      await this.digests.pause(pending);
      return null;
    }
    const timeoutMs = remainingLeaseMs(this.config.leaseSeconds, leasedAt);
    return { pending, channel, sender, digest: { id: pending.id, events, sentAt: now, timeoutMs } };
  }

  /** A bug counts as a failure, so that the schedule ends it. */
  private async trySend({ channel, sender, digest }: DigestAttempt): Promise<AttemptOutcome> {
    const { outcome, bug } = await sendOpened(
      () => this.secrets.open(channel, digest.sentAt),
      (opened) => sendDigest(sender, { ...digest, channel: opened }, channel.host),
    );
    if (bug !== null) this.log.error({ err: bug, digest: digest.id }, 'a digest failed unexpectedly');
    return outcome;
  }

  private async finish(claim: Claim, attempt: DigestAttempt, outcome: AttemptOutcome, durationMs: number) {
    const { digest, sender } = attempt;
    const { channelId } = attempt.pending;
    // Lock order: channels before deliveries.
    const channel = digest.events.some(({ type }) => affectsChannelHealth(type))
      ? await this.channels.findLocked(channelId)
      : null;
    const pending = await this.digests.lockClaimed(claim);
    if (!pending) return; // the lease expired: another process has it now
    const now = this.clock.now();
    const retryAt = nextAttemptAt(outcome, sender.schedule, pending.failures + 1, now);
    await this.digests.finishAttempts(pending, { outcome, durationMs, nextAttemptAt: retryAt });
    channel?.recordOutcome(outcome, now, this.units);
    if (channel?.active === false) await this.deliveries.pauseForChannels([channel.id]);
  }
}
