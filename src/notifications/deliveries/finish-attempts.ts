import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import type { Attempt, AttemptOutcome } from '../domain/attempt.js';
import type { Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { affectsChannelHealth, hasSingleAttempt } from '../domain/notification-event.js';
import { nextAttemptAt } from '../domain/retry-schedule.js';
import type { StartedDelivery } from './attempts.repository.js';
import { DeliveryRepository } from './deliveries.repository.js';
import type { Batch } from './lease-channels.js';

export interface FinishedAttempt extends StartedDelivery {
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}

export interface FinishedBatch extends Batch {
  readonly finished: readonly FinishedAttempt[];
}

type ChannelsById = ReadonlyMap<string, NotificationChannel>;

const OPTIONS = { isolates: true } as const;

/** Stores the outcomes of a channel's attempts and unlocks the channel, in one transaction. */
@Injectable()
export class FinishAttempts {
  /** Stores outcomes that leave the channel's row unchanged, without a lock on this row. */
  private readonly deliveriesOnly = new Batcher<FinishedBatch, true | undefined>((all) => this.finish(all), OPTIONS);
  private readonly withChannels = new Batcher<FinishedBatch, true | undefined>((all) => this.finish(all), OPTIONS);

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** @returns false if the worker's time-limited lock (lease) had ended, so that nothing was stored */
  async run(batch: FinishedBatch): Promise<boolean> {
    return (await (changesChannel(batch) ? this.withChannels : this.deliveriesOnly).submit(batch)) ?? false;
  }

  /**
   * Returns undefined for a batch that was not stored, such as a batch with locked rows. The Batcher then runs this
   * batch alone, which waits for the locks.
   */
  private finish(batches: readonly FinishedBatch[]): Promise<(true | undefined)[]> {
    return this.work.run(async () => {
      // Locks channels before deliveries, as all code does, to avoid deadlocks.
      const changing = batches.filter(changesChannel).map(({ channel }) => channel.id);
      const channels = changing.length === 0 ? [] : await this.channels.findAllLocked(changing);
      const recorded = await this.record(batches, new Map(channels.map((channel) => [channel.id, channel])));
      return batches.map((batch) => recorded.has(batch) || undefined);
    });
  }

  /** @returns the batches that were stored, without the batches whose lease had ended */
  private async record(batches: readonly FinishedBatch[], channels: ChannelsById): Promise<ReadonlySet<FinishedBatch>> {
    if (batches.length === 0) return new Set();
    const ids = batches.flatMap(({ finished }) => finished.map(({ delivery }) => delivery.id));
    const wait = batches.length === 1 ? 'wait' : 'skip';
    const leases = batches.map(({ lease }) => lease);
    const held = await this.deliveries.lockLeased(leases, ids, wait);
    // If another worker has locked the channel by now, `find` returns nothing, because each lock has its own token.
    const find = ({ lease }: FinishedBatch, { delivery }: FinishedAttempt) => held.get(`${lease.token} ${delivery.id}`);
    // With `skip`, locked rows are missing in `held`. A batch with a missing row runs again alone, with `wait`.
    const recordable = batches.filter((batch) => wait === 'wait' || batch.finished.every((one) => find(batch, one)));
    const recorded = recordable.filter((batch) => batch.finished.some((one) => find(batch, one)));
    for (const batch of recorded) this.applyOutcomes(batch, (one) => find(batch, one), channels);
    const stored = recordable.flatMap((batch) => batch.finished.filter((one) => find(batch, one)));
    await this.deliveries.finish(
      recordable.map(({ lease }) => lease),
      recordable.flatMap((batch) => batch.finished.flatMap((one) => find(batch, one) ?? [])),
      stored.map(({ attempt }) => attempt),
      this.clock.now(),
    );
    const inactiveIds = [...channels.values()].filter(({ receivesEvents }) => !receivesEvents).map(({ id }) => id);
    if (inactiveIds.length > 0) await this.deliveries.pauseForChannels(inactiveIds);
    return new Set(recorded);
  }

  private applyOutcomes(
    { channel, finished, sender }: FinishedBatch,
    find: (finished: FinishedAttempt) => Delivery | undefined,
    channels: ChannelsById,
  ): void {
    const now = this.clock.now();
    const lockedChannel = channels.get(channel.id);
    lockedChannel?.recordOutcomes(outcomesForHealth(finished), now, this.units);
    // Gives the events of one message the same retry time, if they have failed equally often.
    const retries = new Map<string, Date | null>();
    for (const one of finished) {
      const { event, outcome, attempt } = one;
      const delivery = find(one);
      const final = hasSingleAttempt(event.type) ? { ...outcome, final: true } : outcome;
      delivery?.finishAttempt(final, attempt, (failures) => {
        if (!isOneMessage(finished)) return nextAttemptAt(final, sender.schedule, failures, now);
        const key = `${failures} ${final.final}`;
        if (!retries.has(key)) retries.set(key, nextAttemptAt(final, sender.schedule, failures, now));
        return retries.get(key) ?? null;
      });
      if (lockedChannel?.receivesEvents === false) delivery?.pause();
    }
  }
}

/**
 * Whether the outcomes change the channel's row. The loaded `firstFailureAt` is current, because no other worker
 * changes this field during this worker's lock (lease).
 */
function changesChannel({ channel, finished }: FinishedBatch): boolean {
  const outcomes = outcomesForHealth(finished);
  return outcomes.some(({ outcome }) => outcome !== 'ok') || (outcomes.length > 0 && channel.firstFailureAt !== null);
}

/** Returns each outcome once, because the many deliveries of one message share one outcome object. */
function outcomesForHealth(finished: readonly FinishedAttempt[]): readonly AttemptOutcome[] {
  const outcomes = finished.filter(({ event }) => affectsChannelHealth(event.type)).map(({ outcome }) => outcome);
  return [...new Set(outcomes)];
}

function isOneMessage(finished: readonly FinishedAttempt[]): boolean {
  return new Set(finished.map(({ outcome }) => outcome)).size === 1;
}
