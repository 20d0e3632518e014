import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { Delivery } from '../domain/delivery.js';
import { DeliveryRepository } from './deliveries.repository.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { affectsChannelHealth, hasSingleAttempt } from '../domain/notification-event.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import type { FinishedAttempt } from './attempt-context.js';

type ChannelsById = ReadonlyMap<string, NotificationChannel>;

/** Stores outcomes of attempts and what follows, in batches. */
@Injectable()
export class FinishAttempts {
  /** Successes wait for no channel's lock, so failures of one account delay nobody's successes. */
  private readonly successes = new Batcher<FinishedAttempt, true | undefined>((batch) => this.finishSuccesses(batch), {
    isolates: true,
  });
  private readonly failures = new Batcher<FinishedAttempt, true | undefined>((batch) => this.finish(batch), {
    isolates: true,
  });

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** @returns false: the lease has expired, another process has the delivery, and nothing is recorded */
  async run(finished: FinishedAttempt): Promise<boolean> {
    const batches = finished.outcome.outcome === 'ok' ? this.successes : this.failures;
    return (await batches.submit(finished)) ?? false;
  }

  /** One alone waits for locks; of several, those whose deliveries are locked are run again alone. */
  private finish(batch: readonly FinishedAttempt[]): Promise<(true | undefined)[]> {
    return this.work.run(async () => {
      // Lock order: channels before deliveries, as in pausing.
      const recorded = await this.record(batch, await this.lockChannels(batch));
      return batch.map((finished) => recorded.has(finished) || undefined);
    });
  }

  /** Runs those of several whose channel has a failure to clear again alone, where they wait for its lock. */
  private finishSuccesses(batch: readonly FinishedAttempt[]): Promise<(true | undefined)[]> {
    if (batch.length === 1) return this.finish(batch);
    return this.work.run(async () => {
      const failing = await this.channels.findFailing([...new Set(batch.map(({ context }) => context.channel.id))]);
      const healthy = batch.filter(({ context }) => !failing.has(context.channel.id));
      const recorded = await this.record(healthy, new Map());
      return batch.map((finished) => recorded.has(finished) || undefined);
    });
  }

  /** @returns those whose leases were held */
  private async record(
    batch: readonly FinishedAttempt[],
    channels: ChannelsById,
  ): Promise<ReadonlySet<FinishedAttempt>> {
    if (batch.length === 0) return new Set();
    const claims = batch.map(({ context }) => context.claim);
    const deliveries = await this.deliveries.lockClaimed(claims, batch.length === 1 ? 'wait' : 'skip');
    // By token: an older attempt that outlived its lease may be in the batch with the one that replaced it.
    const held = new Map(deliveries.map((delivery) => [delivery.leaseToken, delivery]));
    const recordable = batch.filter(({ context }) => held.has(context.claim.token));
    for (const finished of recordable) this.applyOutcome(finished, held.get(finished.context.claim.token), channels);
    await this.deliveries.save(deliveries, { finished: recordable.map(({ attempt }) => attempt) });
    const inactiveIds = [...channels.values()].filter(({ receivesEvents }) => !receivesEvents).map(({ id }) => id);
    if (inactiveIds.length > 0) await this.deliveries.pauseForChannels(inactiveIds);
    return new Set(recordable);
  }

  private applyOutcome(
    { context, outcome }: FinishedAttempt,
    delivery: Delivery | undefined,
    channels: ChannelsById,
  ): void {
    const { channel, event, sender } = context;
    const now = this.clock.now();
    delivery?.finishAttempt(hasSingleAttempt(event.type) ? { ...outcome, final: true } : outcome, sender.schedule, now);
    if (!affectsChannelHealth(event.type)) return;
    const lockedChannel = channels.get(channel.id);
    lockedChannel?.recordOutcome(outcome, now, this.units);
    if (lockedChannel?.receivesEvents === false) delivery?.pause();
  }

  /**
   * Locks the channels that the outcomes change: after a success only those with a failure recorded, which is read now,
   * since another attempt may have failed meanwhile.
   */
  private async lockChannels(batch: readonly FinishedAttempt[]): Promise<ChannelsById> {
    const affecting = batch.filter(({ context }) => affectsChannelHealth(context.event.type));
    if (affecting.length === 0) return new Map();
    const ids = (of: readonly FinishedAttempt[]) => [...new Set(of.map(({ context }) => context.channel.id))];
    const failed = affecting.filter(({ outcome }) => outcome.outcome !== 'ok');
    const channels = await this.channels.findAllLocked(ids(failed), ids(affecting));
    await this.clearFailuresOfReached(channels);
    return new Map(channels.map((channel) => [channel.id, channel]));
  }

  /** A success and a failure may end at once; then the success did not see the failure that was about to be stored. */
  private async clearFailuresOfReached(channels: readonly NotificationChannel[]): Promise<void> {
    const overdue = channels.filter((channel) => channel.hasFailedTooLong(this.clock.now(), this.units));
    if (overdue.length === 0) return;
    const reached = await this.deliveries.findReachedSinceFailing(overdue.map(({ id }) => id));
    for (const channel of overdue) if (reached.has(channel.id)) channel.clearFailures();
  }
}
