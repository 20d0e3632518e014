import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { DataKeyWatch } from '../../platform/crypto/data-key-watch.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import type { ChannelLease } from '../domain/channel-lease.js';
import { type ChannelSender, ChannelSenderRegistry, writesToPeople } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { lacksRelay } from '../email/email-sender.js';
import { AttemptRepository, type StartedDelivery } from './attempts.repository.js';
import { ChannelLeaseRepository, type KnownTypes } from './channel-leases.repository.js';
import { DeliveryRepository } from './deliveries.repository.js';

/**
 * The least time between two messages to a person. Routine events wait longer, so that one message collects several.
 */
const GAP_MINUTES = { urgent: 1, routine: 5 } as const;

/** The deliveries of one channel that a worker is about to send. Their attempts are already stored. */
export interface Batch {
  readonly lease: ChannelLease;
  /** The channel as it was when the attempts started. */
  readonly channel: NotificationChannel;
  readonly sender: ChannelSender;
  readonly started: readonly StartedDelivery[];
  /** The value of `performance.now()` just before the worker took the channel's lock (lease). */
  readonly leasedAt: number;
}

/** Locks channels with due deliveries for a limited time (a lease). Stores the attempts before they are made. */
@Injectable()
export class LeaseChannels {
  constructor(
    private readonly leases: ChannelLeaseRepository,
    private readonly attempts: AttemptRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
    private readonly dataKey: DataKeyWatch,
  ) {}

  isAnyReady(): Promise<boolean> {
    return this.leases.isAnyReady(this.clock.now(), this.knownTypes());
  }

  /** @returns the number of channels that were locked, and the deliveries to send now */
  async claim(limit: number): Promise<{ readonly leased: number; readonly batches: readonly Batch[] }> {
    // Without the data key, this process cannot decrypt channels' secrets. Other processes send meanwhile.
    if (this.dataKey.isLost) return { leased: 0, batches: [] };
    const [leasedAt, now, types] = [performance.now(), this.clock.now(), this.knownTypes()];
    const leases = await this.leases.claim(now, types, limit);
    if (leases.length === 0) return { leased: 0, batches: [] };
    // Also starts attempts of mail channels while no mail relay is configured, so that their failures are recorded.
    const unready = this.senders.all().filter(lacksRelay);
    const found = await this.attempts.start(leases, now, { ...types, unready: unready.map(({ type }) => type) });
    const batches = leases.flatMap((lease): Batch[] => {
      const { channel, started = [] } = found.get(lease.channelId) ?? {};
      const sender = channel && this.senders.find(channel.type);
      return sender ? [{ lease, channel, sender, started, leasedAt }] : [];
    });
    const sent = new Set(batches.map(({ lease }) => lease));
    const unused = leases.filter((lease) => !sent.has(lease));
    if (unused.length > 0) await this.giveBack(unused);
    return { leased: leases.length, batches };
  }

  /**
   * Unlocks channels without anything to send. Pauses the deliveries of inactive channels, but not of mail channels
   * that only lack a mail relay.
   */
  private async giveBack(leases: readonly ChannelLease[]): Promise<void> {
    await this.work.run(async () => {
      const channels = await this.channels.findAllLocked(leases.map(({ channelId }) => channelId));
      const closed = channels.filter(
        ({ active, receivesEvents, type }) => !active && !(receivesEvents && lacksRelay(this.senders.find(type))),
      );
      if (closed.length > 0) await this.deliveries.pauseForChannels(closed.map(({ id }) => id));
    });
    await this.leases.release(leases);
  }

  private knownTypes(): KnownTypes {
    const senders = this.senders.all();
    const minuteSeconds = this.units.minute / SECOND;
    return {
      all: senders.map(({ type }) => type),
      people: senders.filter(writesToPeople).map(({ type }) => type),
      gaps: { urgent: GAP_MINUTES.urgent * minuteSeconds, routine: GAP_MINUTES.routine * minuteSeconds },
    };
  }
}
