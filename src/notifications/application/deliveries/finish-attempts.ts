import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import type { Attempt, AttemptOutcome } from '../../domain/deliveries/attempt.js';
import { Deliveries, type Delivery } from '../../domain/deliveries/delivery.js';
import {
  type NotificationChannel,
  NotificationChannels,
  PATIENCE,
} from '../../domain/channels/notification-channel.js';
import { countsForChannel, isTriedOnce } from '../../domain/events/notification-event.js';
import { Bulk } from './isolating-batcher.js';
import { by, claimsOf, type Undertaking } from './attempt-context.js';

/** How an attempt ended. */
export interface Ending {
  readonly undertaking: Undertaking;
  readonly ended: Attempt;
  readonly outcome: AttemptOutcome;
}

type Listeners = ReadonlyMap<string, NotificationChannel>;

/** Writes down how attempts ended, and what follows: one statement for any number of them while all goes well. */
@Injectable()
export class EndAttempts {
  private readonly arrivals = new Bulk<Ending, boolean>((endings) => this.endArrived(endings));
  private readonly bulk = new Bulk<Ending, boolean>((endings, how) => this.end(endings, how));
  /** How long a channel's receiver may do nothing but fail; milliseconds. */
  private readonly patience: number;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly channels: NotificationChannels,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.patience = PATIENCE / config.timeScale;
  }

  /** @returns false when the lease ended meanwhile: somebody else has the delivery now, and this writes nothing. */
  async run(ending: Ending): Promise<boolean> {
    if (ending.outcome.outcome === 'ok' && (await this.arrivals.ask(ending))) return true;
    return (await this.bulk.ask(ending)) ?? false;
  }

  private async endArrived(endings: readonly Ending[]): Promise<Map<Ending, boolean>> {
    const arrivals = endings.map(({ undertaking: { claim }, ended }) => ({ claim, ended }));
    const recorded = await this.deliveries.endArrived(arrivals);
    return new Map(endings.map((ending) => [ending, recorded.has(ending.undertaking.claim.token)]));
  }

  private end(endings: readonly Ending[], how: 'together' | 'alone'): Promise<Map<Ending, boolean>> {
    return this.work.run(async () => {
      // Whoever locks both locks channels first; pausing locks deliveries while it holds the channel.
      const listeners = await this.listenersTo(endings);
      const claims = endings.map(({ undertaking }) => undertaking.claim);
      const held = by(await this.deliveries.held(claims, how === 'alone' ? 'wait' : 'skip'), ({ id }) => id);
      // The end of an older attempt, which outlived its lease, may have come along with that of the one that followed.
      const valid = new Set(claimsOf([...held.values()], claims));
      const ours = endings.filter(({ undertaking }) => valid.has(undertaking.claim));
      for (const ending of ours) this.settle(ending, held.get(ending.undertaking.claim.id), listeners);
      await this.deliveries.save([...held.values()], { ended: ours.map(({ ended }) => ended) });
      const gaveUp = [...listeners.values()].filter(({ isListening }) => !isListening).map(({ id }) => id);
      if (gaveUp.length > 0) await this.deliveries.pauseAllFor(gaveUp);
      return new Map(ours.map((ending) => [ending, true]));
    });
  }

  private settle({ undertaking, outcome }: Ending, delivery: Delivery | undefined, listeners: Listeners): void {
    const { channel, event, sender } = undertaking;
    const now = this.clock.now();
    delivery?.settle(isTriedOnce(event.type) ? { ...outcome, final: true } : outcome, sender.schedule, now);
    if (!countsForChannel(event.type)) return;
    const listener = listeners.get(channel.id);
    listener?.heard(outcome, now, this.patience);
    if (listener?.isListening === false) delivery?.pause();
  }

  /**
   * The channels that have to hear of it: of a success only those that failed before. Whether they did is asked now, for
   * another attempt may have failed since this one began.
   */
  private async listenersTo(endings: readonly Ending[]): Promise<Listeners> {
    const counting = endings.filter(({ undertaking }) => countsForChannel(undertaking.event.type));
    if (counting.length === 0) return new Map();
    const ids = (of: readonly Ending[]) => [...new Set(of.map(({ undertaking }) => undertaking.channel.id))];
    const failed = counting.filter(({ outcome }) => outcome.outcome !== 'ok');
    const listeners = by(await this.channels.allLocked(ids(failed), ids(counting)), ({ id }) => id);
    await this.spareReached([...listeners.values()]);
    return listeners;
  }

  /** Two attempts may end at once; the one that arrived has then not seen what the other was about to write. */
  private async spareReached(listeners: readonly NotificationChannel[]): Promise<void> {
    const lost = listeners.filter((channel) => channel.isOutOfPatience(this.clock.now(), this.patience));
    if (lost.length === 0) return;
    const reached = await this.deliveries.reachedSinceFailing(lost.map(({ id }) => id));
    for (const channel of lost) if (reached.has(channel.id)) channel.recover();
  }
}
