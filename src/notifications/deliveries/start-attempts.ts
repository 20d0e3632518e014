import { Injectable, Logger } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { Claim, Delivery } from '../domain/delivery.js';
import { DeliveryRepository } from './deliveries.repository.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import type { NotificationEvent } from '../domain/notification-event.js';
import { NotificationEventRepository } from '../events/notification-events.repository.js';
import { lacksRelay } from '../email/email-sender.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { MessageThrottle } from './message-throttle.js';
import { indexBy, validClaims, type AttemptContext } from './attempt-context.js';

type SendableDelivery = Pick<AttemptContext, 'delivery' | 'channel' | 'event' | 'sender'>;

/** null: there is nothing to send; undefined: the claim was not looked at, or is not valid. */
type Started = AttemptContext | null | undefined;

/** Long enough for a rolling deployment to start a process that knows the type. */
const UNKNOWN_TYPE_DELAY_MS = MINUTE;

/** Stores attempts before they are made: four statements per batch, and mostly no transaction. */
@Injectable()
export class StartAttempts {
  private readonly log = new Logger(StartAttempts.name);
  private readonly unknownTypes = new Set<string>();
  private readonly direct = new Batcher<Claim, Started>((claims) => this.startDirectly(claims), { isolates: true });
  private readonly transactional = new Batcher<Claim, Started>((claims) => this.startInTransaction(claims), {
    isolates: true,
  });

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly throttle: MessageThrottle,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** null when there is nothing to send: the claim is no longer valid, or the channel is inactive. */
  async run(claim: Claim): Promise<AttemptContext | null> {
    return (await this.direct.submit(claim)) ?? (await this.transactional.submit(claim)) ?? null;
  }

  /** The common case: nothing to throttle or postpone. A claim that becomes invalid meanwhile starts nothing. */
  private async startDirectly(claims: readonly Claim[]): Promise<Started[]> {
    const leasedAt = performance.now();
    const claimed = await this.deliveries.findClaimed(claims);
    const valid = validClaims(claimed, claims);
    const [channels, events] = await Promise.all([this.findChannels(claimed), this.findEvents(claimed)]);
    const { candidates } = this.partition(claimed, channels, events);
    const unthrottled = indexBy(
      candidates.filter((candidate) => !this.throttle.appliesTo(candidate)),
      ({ delivery }) => delivery.id,
    );
    const contexts = new Map<Claim, AttemptContext>();
    for (const claim of valid) {
      const candidate = unthrottled.get(claim.id);
      if (candidate) contexts.set(claim, this.startAttempt(candidate, leasedAt));
    }
    const started = await this.deliveries.startAttempts([...contexts].map(([claim, one]) => ({ ...one, claim })));
    const isStarted = (claim: Claim) => started.has(claim.id);
    return claims.map((claim) => (isStarted(claim) && contexts.get(claim)) || null);
  }

  /** A claim alone waits for the lock of its delivery; of several, those whose deliveries are locked are run again alone. */
  private startInTransaction(claims: readonly Claim[]): Promise<Started[]> {
    const leasedAt = performance.now();
    return this.work.run(async () => {
      // A claim may occur twice in a batch.
      const rows = await this.deliveries.lockClaimed(claims, claims.length === 1 ? 'wait' : 'skip');
      const held = [...indexBy(rows, ({ id }) => id).values()];
      // An older claim of the same delivery may be in the batch.
      const valid = new Set(validClaims(held, claims));
      const { candidates, skipped } = this.partition(held, await this.findChannels(held), await this.findEvents(held));
      const contexts = (await this.throttle.admitOrDefer(candidates)).map((candidate) =>
        this.startAttempt(candidate, leasedAt),
      );
      const started = contexts.map(({ attempt }) => attempt);
      await this.deliveries.save([...skipped, ...contexts.map(({ delivery }) => delivery)], { started });
      const contextsById = indexBy(contexts, ({ delivery }) => delivery.id);
      return claims.map((claim) => (valid.has(claim) ? (contextsById.get(claim.id) ?? null) : undefined));
    });
  }

  private startAttempt(candidate: SendableDelivery, leasedAt: number): AttemptContext {
    const { delivery } = candidate;
    const attempt = delivery.startAttempt(this.clock.now());
    return { ...candidate, leasedAt, attempt, claim: { id: delivery.id, token: delivery.leaseToken ?? '' } };
  }

  private findChannels(held: readonly Delivery[]): Promise<NotificationChannel[]> {
    return this.channels.findByIds([...new Set(held.map(({ channelId }) => channelId))]);
  }

  private findEvents(held: readonly Delivery[]): Promise<NotificationEvent[]> {
    return this.events.findByIds([...new Set(held.map(({ eventId }) => eventId))]);
  }

  /** Candidates have an active channel and a sender in this process; the others lose their claims. */
  private partition(
    held: readonly Delivery[],
    foundChannels: readonly NotificationChannel[],
    foundEvents: readonly NotificationEvent[],
  ) {
    const [channels, events] = [indexBy(foundChannels, ({ id }) => id), indexBy(foundEvents, ({ id }) => id)];
    const result = { candidates: [] as SendableDelivery[], skipped: [] as Delivery[] };
    for (const delivery of held) {
      const [channel, event] = [channels.get(delivery.channelId), events.get(delivery.eventId)];
      const sender = channel && this.senders.find(channel.type);
      // Without a mail relay the attempt is made, to record its failure.
      const isOpen = channel?.active === true || (channel?.receivesEvents === true && lacksRelay(sender));
      const canSend = delivery.state === 'pending' && isOpen && event;
      if (canSend && sender) result.candidates.push({ delivery, channel, event, sender });
      else result.skipped.push(delivery);
      if (!canSend) delivery.pause();
      else if (!sender) this.postponeUnknownType(delivery, channel.type);
    }
    return result;
  }

  private postponeUnknownType(delivery: Delivery, type: string): void {
    delivery.postpone(after(this.clock.now(), UNKNOWN_TYPE_DELAY_MS));
    if (!this.unknownTypes.has(type))
      this.log.warn(`no sender for channels of type ${type} here: their deliveries wait`);
    this.unknownTypes.add(type);
  }
}
