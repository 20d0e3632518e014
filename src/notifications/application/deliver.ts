import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { type Attempt, type AttemptOutcome, failed } from '../domain/attempt.js';
import { type ChannelSender, ChannelSenders, type Message } from '../domain/channel-sender.js';
import { type Claim, Deliveries } from '../domain/delivery.js';
import { type NotificationChannel, NotificationChannels, PATIENCE } from '../domain/notification-channel.js';
import {
  countsForChannel,
  isTriedOnce,
  type NotificationEvent,
  NotificationEvents,
} from '../domain/notification-event.js';
import { SecretKeeper } from '../domain/signing-secret.js';

/** An attempt that is written down and about to be made. */
interface Undertaking {
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
  readonly sender: ChannelSender;
}

/**
 * One attempt at a delivery: written down, made, and its end written down. No transaction is open while it is made.
 * A crash in between leaves it begun; whoever claims the delivery next marks it lost and tries again under the same
 * event id, which is how receivers tell a repeat.
 */
@Injectable()
export class Deliver {
  private readonly log = new Logger(Deliver.name);
  /** The lease began before the attempt did, and must outlive it. */
  private readonly deadline: number;
  /** How long a channel's receiver may do nothing but fail; milliseconds. */
  private readonly patience: number;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly channels: NotificationChannels,
    private readonly events: NotificationEvents,
    private readonly senders: ChannelSenders,
    private readonly secrets: SecretKeeper,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.deadline = (config.leaseSeconds - 1) * SECOND;
    this.patience = PATIENCE / config.timeScale;
  }

  /** Harmless to repeat: the claim is spent by the first run. */
  async run(claim: Claim): Promise<void> {
    const undertaking = await this.work.run(() => this.begin(claim));
    if (!undertaking) return;
    const began = performance.now();
    const { outcome, bug } = await this.attempt(undertaking);
    const ended = undertaking.attempt.ended(outcome, Math.round(performance.now() - began));
    const recorded = await this.work.run(() => this.finish(undertaking, ended, outcome));
    this.report(undertaking, ended, recorded);
    if (bug !== null) throw bug;
  }

  /**
   * A sender that throws has a fault of ours, which the next attempt will meet again: so it takes its place in the
   * schedule, at whose end the delivery fails, instead of being repeated with every lease for ever.
   */
  private async attempt(undertaking: Undertaking): Promise<{ outcome: AttemptOutcome; bug: Error | null }> {
    try {
      return { outcome: await undertaking.sender.send(this.messageOf(undertaking)), bug: null };
    } catch (cause) {
      const bug = new Error(`the ${undertaking.sender.type} sender failed unexpectedly`, { cause });
      return { outcome: failed('connect', { fault: 'operator' }), bug };
    }
  }

  private async begin(claim: Claim): Promise<Undertaking | null> {
    const delivery = await this.deliveries.take(claim);
    if (!delivery?.leaseToken) return null;
    const [channel, event] = [await this.channels.find(delivery.channelId), await this.events.find(delivery.eventId)];
    if (!channel || !event) return null; // deleted a moment ago, and the delivery with it
    const sender = this.senders.find(channel.type);
    if (!channel.active || !sender) {
      delivery.pause();
      return null;
    }
    const attempt = delivery.begin(this.clock.now());
    await this.deliveries.addAttempt(attempt);
    return { claim: { id: delivery.id, token: delivery.leaseToken }, attempt, channel, event, sender };
  }

  /** @returns false when the lease ended meanwhile: somebody else has the delivery now, and this writes nothing. */
  private async finish(
    { claim, channel, event, sender }: Undertaking,
    ended: Attempt,
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    // Whoever locks both locks the channel first; pausing locks deliveries while it holds the channel.
    const hears = outcome.outcome !== 'ok' || channel.firstFailureAt !== null;
    const listener = hears && countsForChannel(event.type) ? await this.channels.findLocked(channel.id) : null;
    const delivery = await this.deliveries.heldBy(claim);
    if (!delivery) return false;
    const now = this.clock.now();
    await this.deliveries.endAttempt(ended);
    delivery.settle(isTriedOnce(event.type) ? { ...outcome, final: true } : outcome, sender.schedule, now);
    if (!listener) return true;
    listener.heard(outcome, now, this.patience);
    if (listener.active) return true;
    delivery.pause();
    await this.deliveries.pauseAllFor(listener.id);
    return true;
  }

  private messageOf({ attempt, channel, event }: Undertaking): Message {
    const { id, canonicalTarget: target } = channel;
    const secrets = channel.secretsAt(attempt.startedAt).map((sealed) => this.secrets.open(sealed, id));
    const opened = Object.entries(channel.headers).map(([name, sealed]) => [name, this.secrets.openHeader(sealed, id)]);
    const headers = Object.fromEntries(opened) as Record<string, string>;
    return {
      deliveryId: attempt.deliveryId,
      attempt: attempt.number,
      sentAt: attempt.startedAt,
      channel: { id, target, secrets, headers },
      event,
      deadline: this.deadline,
    };
  }

  private report({ channel, event }: Undertaking, ended: Attempt, recorded: boolean): void {
    const { deliveryId: delivery, number: attempt, outcome, durationMs } = ended;
    const about = { account: channel.accountId, channel: channel.id, event: event.id, delivery, attempt };
    if (recorded) this.log.log({ ...about, outcome, durationMs }, 'attempted a delivery');
    else this.log.warn({ ...about, outcome, durationMs }, 'an attempt outlived its lease and was not recorded');
  }
}
