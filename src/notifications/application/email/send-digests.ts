import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { type Claim, Deliveries } from '../../domain/deliveries/delivery.js';
import { type DigestEnding, type MailDigest, MailDigests } from '../ports/digest-repository.js';
import { type Digest, MailSender } from '../../domain/email/mail-sender.js';
import { NotificationChannels, PATIENCE } from '../../domain/channels/notification-channel.js';
import { countsForChannel } from '../../domain/events/notification-event.js';
import { FloodGuard } from './mail-throttle.js';
import { timeLeft } from '../deliveries/remaining-lease.js';

/** At a time; a relay takes a handful of connections. */
const BATCH = 5;

interface Undertaking {
  readonly held: MailDigest;
  readonly digest: Digest;
  readonly sender: MailSender;
}

/**
 * Sends what waited for the end of an hour, written down as an attempt at each delivery in it. A crash in the middle
 * makes these attempts lost; whoever claims the digest next sends the same again under the same Message-ID.
 */
@Injectable()
export class SendDigests {
  private readonly log = new Logger(SendDigests.name);
  private readonly leaseSeconds: number;
  private readonly sending: boolean;
  private readonly patience: number;

  constructor(
    private readonly digests: MailDigests,
    private readonly deliveries: Deliveries,
    private readonly channels: NotificationChannels,
    private readonly senders: ChannelSenders,
    private readonly guard: FloodGuard,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    { leaseSeconds, sending, timeScale }: Config,
  ) {
    this.leaseSeconds = leaseSeconds;
    this.sending = sending;
    this.patience = PATIENCE / timeScale;
  }

  /**
   * All that are due; none while sending is off. Any number of processes may do this at once: each digest is sent by one of them. What fails
   * unexpectedly is repeated after its lease.
   * @param ending when no more of them should be begun
   */
  async run(ending?: AbortSignal): Promise<void> {
    while (this.sending && !ending?.aborted) {
      const leasedAt = performance.now();
      const claims = await this.digests.claimDue(this.clock.now(), BATCH);
      const ends = await Promise.allSettled(claims.map((claim) => this.send(claim, leasedAt)));
      for (const end of ends)
        if (end.status === 'rejected') this.log.error({ err: end.reason as Error }, 'a digest failed unexpectedly');
      if (claims.length < BATCH) return;
    }
  }

  private async send(claim: Claim, leasedAt: number): Promise<void> {
    const undertaking = await this.work.run(() => this.begin(claim, leasedAt));
    if (!undertaking) return;
    const began = performance.now();
    const outcome = await this.attempt(undertaking);
    const durationMs = Math.round(performance.now() - began);
    await this.work.run(() => this.end(claim, undertaking, outcome, durationMs));
    const { held, digest } = undertaking;
    const about = { channel: held.channelId, digest: held.id, deliveries: digest.events.length };
    this.log.log({ ...about, outcome: outcome.outcome, durationMs }, 'attempted a digest');
  }

  private async begin(claim: Claim, leasedAt: number): Promise<Undertaking | null> {
    const held = await this.digests.heldBy(claim);
    if (!held) return null;
    // First of all: whoever still lets something wait for this digest has the hour, and is waited for here.
    if (held.failures === 0) await this.guard.count(held.channelId);
    const [channel] = await this.channels.all([held.channelId]);
    const sender = channel && this.senders.find(channel.type);
    const now = this.clock.now();
    const events = channel?.active && sender instanceof MailSender ? await this.digests.begin(held.id, now) : [];
    if (!channel || !(sender instanceof MailSender) || events.length === 0) {
      await this.digests.pause(held.id);
      return null;
    }
    const to = { id: channel.id, accountId: channel.accountId, target: channel.canonicalTarget };
    const deadline = timeLeft(this.leaseSeconds, leasedAt);
    return { held, sender, digest: { id: held.id, channel: to, events, sentAt: now, deadline } };
  }

  /** A fault of ours takes its place in the schedule, at whose end the deliveries fail. */
  private async attempt({ sender, digest }: Undertaking): Promise<AttemptOutcome> {
    try {
      return await sender.sendDigest(digest);
    } catch (error) {
      this.log.error({ err: error as Error, digest: digest.id }, 'a digest failed unexpectedly');
      return failed('connect', { fault: 'operator' });
    }
  }

  private async end(claim: Claim, { sender, digest }: Undertaking, outcome: AttemptOutcome, durationMs: number) {
    // Channels are locked first, as everybody locks them who then locks deliveries.
    const listener = digest.events.some(({ type }) => countsForChannel(type))
      ? await this.channels.findLocked(digest.channel.id)
      : null;
    const held = await this.digests.heldBy(claim);
    if (!held) return; // its lease ended: somebody else has it now
    const now = this.clock.now();
    await this.digests.end(held, { outcome, durationMs, ...this.follows(held, sender, outcome, now) });
    listener?.heard(outcome, now, this.patience);
    if (listener?.active === false) await this.deliveries.pauseAllFor([listener.id]);
  }

  private follows(
    { failures }: MailDigest,
    { schedule }: MailSender,
    outcome: AttemptOutcome,
    now: Date,
  ): Pick<DigestEnding, 'state' | 'nextAttemptAt'> {
    if (outcome.outcome === 'ok') return { state: 'delivered', nextAttemptAt: null };
    const delay = outcome.final ? null : schedule.delayAfter(failures + 1, outcome);
    if (delay === null) return { state: 'failed', nextAttemptAt: null };
    return { state: 'pending', nextAttemptAt: after(now, delay) };
  }
}
