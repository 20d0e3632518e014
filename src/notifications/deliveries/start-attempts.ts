import { Injectable, Logger } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { Claim, Delivery } from '../domain/delivery.js';
import { lacksRelay } from '../email/email-sender.js';
import { sendsDigests } from '../domain/message-quota.js';
import { NotificationEventRepository } from '../events/notification-events.repository.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import type { AttemptContext, ClaimedDelivery, SendableDelivery } from './attempt-context.js';
import { DeliveryClaimRepository } from './claims.repository.js';
import { DeliveryRepository } from './deliveries.repository.js';
import { MessageThrottle } from './message-throttle.js';

/** Gives a rolling deployment the time to start a process that knows the type. */
const UNKNOWN_TYPE_DELAY_MS = MINUTE;

/** Claims deliveries, and stores attempts at them before they are made. */
@Injectable()
export class StartAttempts {
  private readonly log = new Logger(StartAttempts.name);
  private readonly unknownTypes = new Set<string>();
  /** undefined: the claim was not looked at, or is not valid. */
  private readonly transactional = new Batcher<Claim, AttemptContext | null | undefined>(
    (claims) => this.startInTransaction(claims),
    { isolates: true },
  );

  constructor(
    private readonly claims: DeliveryClaimRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly throttle: MessageThrottle,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Claims what is due, and starts what needs no counting in the same statement. */
  claim(limit: number, hosts: readonly string[] | null = null): Promise<ClaimedDelivery[]> {
    const senders = this.senders.all().filter((sender) => !sendsDigests(sender));
    return this.claims.claim({ now: this.clock.now(), hosts, senders, limit });
  }

  /** null when there is nothing to send: it waits in a digest, the claim is no longer valid, or the channel inactive. */
  async start(claimed: ClaimedDelivery): Promise<AttemptContext | null> {
    return claimed.started ?? (await this.transactional.submit(claimed)) ?? null;
  }

  /** A claim alone waits for the lock of its delivery; of several, those whose deliveries are locked are run again alone. */
  private startInTransaction(claims: readonly Claim[]): Promise<(AttemptContext | null | undefined)[]> {
    const leasedAt = performance.now();
    return this.work.run(async () => {
      const held = await this.deliveries.lockClaimed(claims, claims.length === 1 ? 'wait' : 'skip');
      const valid = new Set(held.map(({ leaseToken }) => leaseToken));
      const { candidates, skipped } = await this.partition(held);
      const contexts = new Map<string | null, AttemptContext>(); // by the token of the claim, which the attempt replaces
      for (const candidate of await this.throttle.admitOrDefer(candidates)) {
        const { delivery } = candidate;
        const claimToken = delivery.leaseToken;
        const attempt = delivery.startAttempt(this.clock.now());
        const claim = { id: delivery.id, token: delivery.leaseToken ?? '' };
        contexts.set(claimToken, { ...candidate, claim, attempt, leasedAt });
      }
      const started = [...contexts.values()];
      await this.deliveries.save([...skipped, ...started.map(({ delivery }) => delivery)], {
        started: started.map(({ attempt }) => attempt),
      });
      return claims.map(({ token }) => (valid.has(token) ? (contexts.get(token) ?? null) : undefined));
    });
  }

  /** Candidates have an active channel and a sender in this process; the others lose their claims. */
  private async partition(held: readonly Delivery[]) {
    const channels = byId(await this.channels.findByIds([...new Set(held.map(({ channelId }) => channelId))]));
    const events = byId(await this.events.findByIds([...new Set(held.map(({ eventId }) => eventId))]));
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

function byId<Entity extends { readonly id: string }>(entities: readonly Entity[]): Map<string, Entity> {
  return new Map(entities.map((entity) => [entity.id, entity]));
}
