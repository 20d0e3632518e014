import { Injectable, Logger } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { type Claim, Deliveries, type Delivery } from '../../domain/deliveries/delivery.js';
import { type NotificationChannel, NotificationChannels } from '../../domain/channels/notification-channel.js';
import { type NotificationEvent, NotificationEvents } from '../../domain/events/notification-event.js';
import { Bulk } from './isolating-batcher.js';
import { FloodGuard } from '../email/mail-throttle.js';
import { by, claimsOf, type Undertaking } from './attempt-context.js';

/** What can be sent, before anybody decides that it is. */
type Prospect = Pick<Undertaking, 'delivery' | 'channel' | 'event' | 'sender'>;

/** Until a process that knows their type should have come up, as in a rolling deployment. */
const UNKNOWN_WAITS = MINUTE;

/** Writes attempts down before they are made: four statements for any number of them, and mostly no transaction. */
@Injectable()
export class BeginAttempts {
  private readonly log = new Logger(BeginAttempts.name);
  private readonly unknown = new Set<string>();
  private readonly plain = new Bulk<Claim, Undertaking | null>((claims) => this.beginPlain(claims));
  private readonly bulk = new Bulk<Claim, Undertaking | null>((claims, how) => this.begin(claims, how));

  constructor(
    private readonly deliveries: Deliveries,
    private readonly channels: NotificationChannels,
    private readonly events: NotificationEvents,
    private readonly senders: ChannelSenders,
    private readonly floodGuard: FloodGuard,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** null when there is nothing to do: the claim was spent or has ended, or its channel takes nothing. */
  async run(claim: Claim): Promise<Undertaking | null> {
    return (await this.plain.ask(claim)) ?? (await this.bulk.ask(claim)) ?? null;
  }

  /** Most: what nobody has to count or to put off. A claim that is spent meanwhile begins nothing. */
  private async beginPlain(claims: readonly Claim[]): Promise<Map<Claim, Undertaking | null>> {
    const leasedAt = performance.now();
    const claimed = await this.deliveries.claimed(claims);
    const valid = claimsOf(claimed, claims);
    const [channels, events] = await Promise.all([this.channelsOf(claimed), this.eventsOf(claimed)]);
    const { prospects } = this.judged(claimed, channels, events);
    const plain = by(
      prospects.filter((prospect) => !this.floodGuard.minds(prospect)),
      ({ delivery }) => delivery.id,
    );
    const undertakings = new Map<Claim, Undertaking>();
    for (const claim of valid) {
      const prospect = plain.get(claim.id);
      if (prospect) undertakings.set(claim, this.undertake(prospect, leasedAt));
    }
    const begun = await this.deliveries.beginClaimed([...undertakings].map(([claim, one]) => ({ ...one, claim })));
    const isBegun = (claim: Claim) => begun.has(claim.id);
    return new Map(claims.map((claim) => [claim, (isBegun(claim) && undertakings.get(claim)) || null]));
  }

  private begin(claims: readonly Claim[], how: 'together' | 'alone'): Promise<Map<Claim, Undertaking | null>> {
    const leasedAt = performance.now();
    return this.work.run(async () => {
      // A claim that is told twice holds its delivery once.
      const rows = await this.deliveries.held(claims, how === 'alone' ? 'wait' : 'skip');
      const held = [...by(rows, ({ id }) => id).values()];
      // An older claim of the same delivery may have come along: what it asks for is not its own any more.
      const valid = claimsOf(held, claims);
      const { prospects, spared } = this.judged(held, await this.channelsOf(held), await this.eventsOf(held));
      const undertakings = (await this.floodGuard.admit(prospects)).map((prospect) =>
        this.undertake(prospect, leasedAt),
      );
      const begun = undertakings.map(({ attempt }) => attempt);
      await this.deliveries.save([...spared, ...undertakings.map(({ delivery }) => delivery)], { begun });
      const ours = by(undertakings, ({ delivery }) => delivery.id);
      return new Map(valid.map((claim) => [claim, ours.get(claim.id) ?? null]));
    });
  }

  private undertake(prospect: Prospect, leasedAt: number): Undertaking {
    const { delivery } = prospect;
    const attempt = delivery.begin(this.clock.now());
    return { ...prospect, leasedAt, attempt, claim: { id: delivery.id, token: delivery.leaseToken ?? '' } };
  }

  private channelsOf(held: readonly Delivery[]): Promise<NotificationChannel[]> {
    return this.channels.all([...new Set(held.map(({ channelId }) => channelId))]);
  }

  private eventsOf(held: readonly Delivery[]): Promise<NotificationEvent[]> {
    return this.events.all([...new Set(held.map(({ eventId }) => eventId))]);
  }

  /** Those whose channel takes something at present, by a sender that is known here; the others lose their claims. */
  private judged(
    held: readonly Delivery[],
    listening: readonly NotificationChannel[],
    told: readonly NotificationEvent[],
  ) {
    const [channels, events] = [by(listening, ({ id }) => id), by(told, ({ id }) => id)];
    const judged = { prospects: [] as Prospect[], spared: [] as Delivery[] };
    for (const delivery of held) {
      const [channel, event] = [channels.get(delivery.channelId), events.get(delivery.eventId)];
      const sender = channel && this.senders.find(channel.type);
      // Where nothing can be sent at all, the attempt is made to say so.
      const isOpen = channel?.active === true || (channel?.isListening === true && sender?.isReady === false);
      const takes = delivery.state === 'pending' && isOpen && event;
      if (takes && sender) judged.prospects.push({ delivery, channel, event, sender });
      else judged.spared.push(delivery);
      if (!takes) delivery.pause();
      else if (!sender) this.leaveToOthers(delivery, channel.type);
    }
    return judged;
  }

  private leaveToOthers(delivery: Delivery, type: string): void {
    delivery.putOff(after(this.clock.now(), UNKNOWN_WAITS));
    if (!this.unknown.has(type)) this.log.warn(`no sender for channels of type ${type} here: their deliveries wait`);
    this.unknown.add(type);
  }
}
