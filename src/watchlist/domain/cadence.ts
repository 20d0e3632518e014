import { isBeingDeleted, type Look } from '../../domains/language.js';
import { after, HOUR, MINUTE } from '../../kernel/clock.js';
import type { WatchedName } from './watched-name.js';

export interface CadenceSettings {
  /** Milliseconds between the two looks that make an absence true. */
  readonly confirmation: number;
  readonly confirmationFromPendingDelete: number;
  /** Divides every duration here, but not what a registry asks for. */
  readonly timeScale: number;
}

/** Looks come this much earlier than promised, at random, so that names do not fall due together. */
const JITTER = 0.1;

/** When to look at a name next. */
export class Cadence {
  constructor(
    private readonly settings: CadenceSettings,
    private readonly random: () => number,
  ) {}

  /** Milliseconds from the first sighting of an absence to the look that may confirm it. */
  spacing(name: WatchedName): number {
    const dropping = name.facts !== null && isBeingDeleted(name.facts);
    const { confirmation, confirmationFromPendingDelete, timeScale } = this.settings;
    return (dropping ? confirmationFromPendingDelete : confirmation) / timeScale;
  }

  /** The instant of the next look, within the promised interval of the last; sooner where something is at stake. */
  nextLook(name: WatchedName, look: Look, now: Date): Date {
    if (look.kind === 'failure') return this.afterFailure(name, look.retryAfterSeconds, now);
    const interval = this.early((name.intervalMinutes * MINUTE) / this.settings.timeScale);
    const wished = Math.min(interval, look.lookAgainWithin ?? interval);
    const routine = after(now, wished);
    return name.pending && name.pending.notBefore < routine ? later(name.pending.notBefore, now) : routine;
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
