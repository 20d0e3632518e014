import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import type { Attempt, AttemptOutcome } from '../../domain/deliveries/attempt.js';
import { DeliveryRepository, type Delivery } from '../../domain/deliveries/delivery.js';
import {
  type NotificationChannel,
  NotificationChannelRepository,
  MAX_FAILING_MS,
} from '../../domain/channels/notification-channel.js';
import { affectsChannelHealth, hasSingleAttempt } from '../../domain/events/notification-event.js';
import { IsolatingBatcher } from './isolating-batcher.js';
import { indexBy, validClaims, type AttemptContext } from './attempt-context.js';

/** How an attempt ended. */
export interface FinishedAttempt {
  readonly context: AttemptContext;
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
}

type ChannelsById = ReadonlyMap<string, NotificationChannel>;

/** Writes down how attempts ended, and what follows: one statement for any number of them while all goes well. */
@Injectable()
export class FinishAttempts {
  private readonly direct = new IsolatingBatcher<FinishedAttempt, boolean>((batch) => this.markDelivered(batch));
  private readonly transactional = new IsolatingBatcher<FinishedAttempt, boolean>((batch, mode) =>
    this.finishInTransaction(batch, mode),
  );
  /** How long a channel's receiver may do nothing but fail; milliseconds. */
  private readonly maxFailingMs: number;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.maxFailingMs = MAX_FAILING_MS / config.timeScale;
  }

  /** @returns false when the lease ended meanwhile: somebody else has the delivery now, and this writes nothing. */
  async run(finished: FinishedAttempt): Promise<boolean> {
    if (finished.outcome.outcome === 'ok' && (await this.direct.submit(finished))) return true;
    return (await this.transactional.submit(finished)) ?? false;
  }

  private async markDelivered(batch: readonly FinishedAttempt[]): Promise<Map<FinishedAttempt, boolean>> {
    const succeeded = batch.map(({ context: { claim }, attempt }) => ({ claim, attempt }));
    const recorded = await this.deliveries.markDelivered(succeeded);
    return new Map(batch.map((finished) => [finished, recorded.has(finished.context.claim.token)]));
  }

  private finishInTransaction(
    batch: readonly FinishedAttempt[],
    mode: 'batch' | 'single',
  ): Promise<Map<FinishedAttempt, boolean>> {
    return this.work.run(async () => {
      // Whoever locks both locks channels first; pausing locks deliveries while it holds the channel.
      const channels = await this.lockChannels(batch);
      const claims = batch.map(({ context }) => context.claim);
      const held = indexBy(
        await this.deliveries.lockClaimed(claims, mode === 'single' ? 'wait' : 'skip'),
        ({ id }) => id,
      );
      // The end of an older attempt, which outlived its lease, may have come along with that of the one that followed.
      const valid = new Set(validClaims([...held.values()], claims));
      const recordable = batch.filter(({ context }) => valid.has(context.claim));
      for (const finished of recordable) this.applyOutcome(finished, held.get(finished.context.claim.id), channels);
      await this.deliveries.save([...held.values()], { finished: recordable.map(({ attempt }) => attempt) });
      const inactiveIds = [...channels.values()].filter(({ receivesEvents }) => !receivesEvents).map(({ id }) => id);
      if (inactiveIds.length > 0) await this.deliveries.pauseForChannels(inactiveIds);
      return new Map(recordable.map((finished) => [finished, true]));
    });
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
    lockedChannel?.recordOutcome(outcome, now, this.maxFailingMs);
    if (lockedChannel?.receivesEvents === false) delivery?.pause();
  }

  /**
   * The channels that have to hear of it: of a success only those that failed before. Whether they did is asked now, for
   * another attempt may have failed since this one began.
   */
  private async lockChannels(batch: readonly FinishedAttempt[]): Promise<ChannelsById> {
    const affecting = batch.filter(({ context }) => affectsChannelHealth(context.event.type));
    if (affecting.length === 0) return new Map();
    const ids = (of: readonly FinishedAttempt[]) => [...new Set(of.map(({ context }) => context.channel.id))];
    const failed = affecting.filter(({ outcome }) => outcome.outcome !== 'ok');
    const channels = indexBy(await this.channels.findAllLocked(ids(failed), ids(affecting)), ({ id }) => id);
    await this.clearFailuresOfReached([...channels.values()]);
    return channels;
  }

  /** Two attempts may end at once; the one that arrived has then not seen what the other was about to write. */
  private async clearFailuresOfReached(channels: readonly NotificationChannel[]): Promise<void> {
    const overdue = channels.filter((channel) => channel.hasFailedTooLong(this.clock.now(), this.maxFailingMs));
    if (overdue.length === 0) return;
    const reached = await this.deliveries.findReachedSinceFailing(overdue.map(({ id }) => id));
    for (const channel of overdue) if (reached.has(channel.id)) channel.clearFailures();
  }
}
