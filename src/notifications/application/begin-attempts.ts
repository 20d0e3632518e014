import { Injectable, Logger } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ChannelSenders } from '../domain/channel-sender.js';
import { type Claim, Deliveries, type Delivery } from '../domain/delivery.js';
import { NotificationChannels } from '../domain/notification-channel.js';
import { NotificationEvents } from '../domain/notification-event.js';
import { Bulk } from './bulk.js';
import { FloodGuard } from './flood-guard.js';
import { by, claimsOf, type Undertaking } from './undertaking.js';

/** What can be sent, before anybody decides that it is. */
type Prospect = Pick<Undertaking, 'delivery' | 'channel' | 'event' | 'sender'>;

/** Until a process that knows their type should have come up, as in a rolling deployment. */
const UNKNOWN_WAITS = MINUTE;

/** Writes attempts down before they are made: four statements for any number of them. */
@Injectable()
export class BeginAttempts {
  private readonly log = new Logger(BeginAttempts.name);
  private readonly unknown = new Set<string>();
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
    return (await this.bulk.ask(claim)) ?? null;
  }

  private begin(claims: readonly Claim[], how: 'together' | 'alone'): Promise<Map<Claim, Undertaking | null>> {
    const leasedAt = performance.now();
    return this.work.run(async () => {
      const held = await this.deliveries.held(claims, how === 'alone' ? 'wait' : 'skip');
      // An older claim of the same delivery may have come along: what it asks for is not its own any more.
      const valid = claimsOf(held, claims);
      const { prospects, spared } = await this.judged(held);
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

  /** Those whose channel takes something at present, by a sender that is known here; the others lose their claims. */
  private async judged(held: readonly Delivery[]): Promise<{ prospects: Prospect[]; spared: Delivery[] }> {
    const channels = by(await this.channels.all([...new Set(held.map(({ channelId }) => channelId))]), ({ id }) => id);
    const events = by(await this.events.all([...new Set(held.map(({ eventId }) => eventId))]), ({ id }) => id);
    const judged = { prospects: [] as Prospect[], spared: [] as Delivery[] };
    for (const delivery of held) {
      const [channel, event] = [channels.get(delivery.channelId), events.get(delivery.eventId)];
      const takes = delivery.state === 'pending' && channel?.active && event;
      const sender = channel && this.senders.find(channel.type);
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
