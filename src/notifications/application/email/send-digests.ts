import { Injectable, Logger } from '@nestjs/common';
import { DeliveryConfig } from '../../../config/sections.js';
import { after, Clock } from '../../../kernel/clock.js';
import { TimeUnits } from '../../../kernel/time-units.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { ChannelSenderRegistry } from '../../domain/channels/channel-sender.js';
import { type Claim, DeliveryRepository } from '../../domain/deliveries/delivery.js';
import { type DigestResult, type PendingDigest, DigestRepository } from '../ports/digest-repository.js';
import { type DigestMail, MailSender } from '../../domain/email/mail-sender.js';
import { NotificationChannelRepository, MAX_FAILING_DAYS } from '../../domain/channels/notification-channel.js';
import { affectsChannelHealth } from '../../domain/events/notification-event.js';
import { MailThrottle } from './mail-throttle.js';
import { remainingLeaseMs } from '../deliveries/remaining-lease.js';
import { sendDueMails } from './send-due-mails.js';

interface DigestAttempt {
  readonly pending: PendingDigest;
  readonly digest: DigestMail;
  readonly sender: MailSender;
}

/**
 * Sends due digests, each recorded as an attempt at every delivery in it. A crash makes these attempts lost; the next
 * claim sends the digest again under the same Message-ID.
 */
@Injectable()
export class SendDigests {
  private readonly log = new Logger(SendDigests.name);
  private readonly leaseSeconds: number;
  private readonly sending: boolean;
  private readonly maxFailingMs: number;

  constructor(
    private readonly digests: DigestRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly throttle: MailThrottle,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    { leaseSeconds, sending }: DeliveryConfig,
    { day }: TimeUnits,
  ) {
    this.leaseSeconds = leaseSeconds;
    this.sending = sending;
    this.maxFailingMs = MAX_FAILING_DAYS * day;
  }

  /** Nothing while sending is off. Safe to run in several processes at once. */
  async run(stopSignal?: AbortSignal): Promise<void> {
    if (!this.sending) return;
    await sendDueMails({
      claimDue: (limit) => this.digests.claimDue(this.clock.now(), limit),
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
    // First: this waits for the quota window's lock, which is held while deliveries are added to the digest.
    if (pending.failures === 0) await this.throttle.count(pending.channelId);
    const [channel] = await this.channels.findByIds([pending.channelId]);
    const sender = channel && this.senders.find(channel.type);
    const now = this.clock.now();
    const events =
      channel?.active && sender instanceof MailSender ? await this.digests.startAttempts(pending.id, now) : [];
    if (!channel || !(sender instanceof MailSender) || events.length === 0) {
      await this.digests.pause(pending.id);
      return null;
    }
    const to = { id: channel.id, accountId: channel.accountId, target: channel.canonicalTarget };
    const timeoutMs = remainingLeaseMs(this.leaseSeconds, leasedAt);
    return { pending, sender, digest: { id: pending.id, channel: to, events, sentAt: now, timeoutMs } };
  }

  /** A bug counts as a failure, so that the schedule ends it. */
  private async trySend({ sender, digest }: DigestAttempt): Promise<AttemptOutcome> {
    try {
      return await sender.sendDigest(digest);
    } catch (error) {
      this.log.error({ err: error as Error, digest: digest.id }, 'a digest failed unexpectedly');
      return failed('connect', { fault: 'service' });
    }
  }

  private async finish(claim: Claim, { sender, digest }: DigestAttempt, outcome: AttemptOutcome, durationMs: number) {
    // Lock order: channels before deliveries.
    const channel = digest.events.some(({ type }) => affectsChannelHealth(type))
      ? await this.channels.findLocked(digest.channel.id)
      : null;
    const pending = await this.digests.lockClaimed(claim);
    if (!pending) return; // the lease expired: another process has it now
    const now = this.clock.now();
    await this.digests.finishAttempts(pending, {
      outcome,
      durationMs,
      ...this.nextState(pending, sender, outcome, now),
    });
    channel?.recordOutcome(outcome, now, this.maxFailingMs);
    if (channel?.active === false) await this.deliveries.pauseForChannels([channel.id]);
  }

  private nextState(
    { failures }: PendingDigest,
    { schedule }: MailSender,
    outcome: AttemptOutcome,
    now: Date,
  ): Pick<DigestResult, 'state' | 'nextAttemptAt'> {
    if (outcome.outcome === 'ok') return { state: 'delivered', nextAttemptAt: null };
    const delayMs = outcome.final ? null : schedule.nextDelayMs(failures + 1, outcome);
    if (delayMs === null) return { state: 'failed', nextAttemptAt: null };
    return { state: 'pending', nextAttemptAt: after(now, delayMs) };
  }
}
