import { isBeingDeleted, type Look } from '../../domains/language.js';
import { after, HOUR, MINUTE, SECOND } from '../../kernel/clock.js';
import type { ConfirmationPace } from './confirmation.js';
import type { WatchedName } from './watched-name.js';

export interface CadenceSettings {
  /** Milliseconds between the two looks that make an absence true. */
  readonly confirmation: number;
  readonly confirmationFromPendingDelete: number;
  /** The expiring window that entries have unless they ask for another. */
  readonly expiringWindowDays: number;
  /** Divides every duration here, but not what a registry asks for. */
  readonly timeScale: number;
}

/** Looks come this much earlier than promised, at random, so that names do not fall due together. */
const JITTER = 0.1;

/** A delegation that stands in the way of a drop may go at any time. */
const AFTER_VETO = 5 * MINUTE;
/** A drop must not be missed for a broken resolver: DNS has so long to be heard. */
const PATIENCE_WITH_DNS = 2 * MINUTE;
const AFTER_UNHEARD_DNS = 30 * SECOND;
/** A first sighting that could not be confirmed for so long proves nothing any more. */
const SIGHTING_KEPT = 24 * HOUR;

/** When to look at a name next. */
export class Cadence {
  constructor(
    private readonly settings: CadenceSettings,
    private readonly random: () => number,
  ) {}

  /** How a sighting of this name gets confirmed. */
  paceOf(name: WatchedName): ConfirmationPace {
    const dropping = name.facts !== null && isBeingDeleted(name.facts);
    const { confirmation, confirmationFromPendingDelete, expiringWindowDays, timeScale } = this.settings;
    return {
      spacing: (dropping ? confirmationFromPendingDelete : confirmation) / timeScale,
      afterVeto: AFTER_VETO / timeScale,
      afterUnheard: AFTER_UNHEARD_DNS / timeScale,
      patience: PATIENCE_WITH_DNS / timeScale,
      kept: SIGHTING_KEPT / timeScale,
      usualWindowDays: expiringWindowDays,
    };
  }

  /** The instant of the next look, within the promised interval of the last; sooner where something is at stake. */
  nextLook(name: WatchedName, look: Look, now: Date): Date {
    if (look.kind === 'failure' && !look.vetoed) return this.afterFailure(name, look.retryAfterSeconds, now);
    const interval = this.early((name.intervalMinutes * MINUTE) / this.settings.timeScale);
    const wish = look.kind === 'proof' ? look.lookAgainWithin : this.paceOf(name).afterVeto;
    const wished = Math.min(interval, wish ?? interval);
    const routine = after(now, wished);
    return name.pending && name.pending.lookAt < routine ? later(name.pending.lookAt, now) : routine;
  }

  /** Doubles with every failure up to an hour, never beyond the interval, and never before the registry allows it. */
  private afterFailure(name: WatchedName, retryAfterSeconds: number | null, now: Date): Date {
    const doubled = MINUTE * 2 ** Math.min(name.failures - 1, 10);
    const wait = Math.min(name.intervalMinutes * MINUTE, doubled, HOUR) / this.settings.timeScale;
    const spread = wait * (1 + JITTER * (2 * this.random() - 1));
    return after(now, Math.max(spread, (retryAfterSeconds ?? 0) * 1_000));
  }

  private early(interval: number): number {
    return interval * (1 - JITTER * this.random());
  }
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
