import {
  type DomainName,
  isBeingDeleted,
  type LookupResult,
  type RegistrationFacts,
} from '../../../domains/language.js';
import { after, DAY, HOUR, MINUTE, SECOND } from '../../../kernel/clock.js';
import type { ConfirmationPolicy } from '../watched-name/confirmation.js';
import { flapBackoff } from '../watched-name/flapping.js';
import { msUntilOffset } from './schedule-offset.js';
import type { WatchedName } from '../watched-name/watched-name.js';

export interface CheckScheduleSettings {
  /** Milliseconds between the two looks that make an absence true. */
  readonly confirmation: number;
  readonly confirmationFromPendingDelete: number;
  /** The expiring window that entries have unless they ask for another. */
  readonly expiringWindowDays: number;
  /** Divides every duration here, but not what a registry asks for. */
  readonly timeScale: number;
}

/** When a registry will delete a name, as far as its rules tell; null where they are not known. */
export type DropWindowForecast = (
  name: DomainName,
  facts: RegistrationFacts,
  now: Date,
) => { readonly earliest: Date; readonly latest: Date | null } | null;

/** Looks come this much earlier than promised at most, at random, unless the name's own slot is no farther off. */
const JITTER = 0.1;
/** Slots are this much nearer than promised, a part and at most so long: looks come late now and then. */
const EARLIER = { part: 0.02, most: 10 * SECOND };
/** The first look of all comes at once; the second finds the slot, after this much of the interval at least. */
const BEFORE_SECOND_LOOK = 0.05;

/** A delegation that stands in the way of a drop may go at any time. */
const AFTER_VETO = 5 * MINUTE;
/** A drop must not be missed for a broken resolver: DNS has so long to be heard. */
const PATIENCE_WITH_DNS = 2 * MINUTE;
const AFTER_UNHEARD_DNS = 30 * SECOND;
/** A name that keeps its status for so long flaps no more. */
const CALM = 24 * HOUR;
/** A first sighting that could not be confirmed for so long proves nothing any more. */
const SIGHTING_KEPT = 24 * HOUR;

/** Near a change a name is looked at more often than promised. In its drop window, a drop is told within minutes. */
const IN_DROP_WINDOW = MINUTE;
const WHILE_DELETED = HOUR;
const AFTER_A_DROP = 15 * MINUTE;
const NEAR_EXPIRY = 6 * HOUR;
/** Registries keep no clock of ours. */
const MARGIN_OF_WINDOW = HOUR;

/** When to look at a name next. */
export class CheckSchedule {
  constructor(
    private readonly settings: CheckScheduleSettings,
    private readonly random: () => number,
    private readonly forecast: DropWindowForecast = () => null,
    private readonly slot = msUntilOffset,
  ) {}

  /** How a sighting of this name gets confirmed. */
  paceOf(name: WatchedName, now: Date): ConfirmationPolicy {
    const dropping = name.facts !== null && isBeingDeleted(name.facts);
    const { confirmation, confirmationFromPendingDelete, expiringWindowDays, timeScale } = this.settings;
    const calm = CALM / timeScale;
    const usual = (dropping ? confirmationFromPendingDelete : confirmation) / timeScale;
    return {
      spacing: usual * flapBackoff(name.lastTurn, now, calm),
      calm,
      afterVeto: AFTER_VETO / timeScale,
      afterUnheard: AFTER_UNHEARD_DNS / timeScale,
      patience: PATIENCE_WITH_DNS / timeScale,
      kept: SIGHTING_KEPT / timeScale,
      usualWindowDays: expiringWindowDays,
    };
  }

  /** The instant of the next look, within the promised interval of the last; sooner where something is at stake. */
  nextLook(name: WatchedName, look: LookupResult, now: Date): Date {
    if (look.kind === 'failure' && look.notSent === 'budget') return this.whenGranted(look.retryAfterSeconds, now);
    if (look.kind === 'failure' && !look.dnsVetoed) return this.afterFailure(name, look.retryAfterSeconds, now);
    const interval = this.untilRoutine(name, now);
    const wish = look.kind === 'observation' ? look.recheckWithinMs : this.paceOf(name, now).afterVeto;
    const routine = after(now, Math.min(interval, wish ?? interval, this.nearChange(name, now)));
    return name.pending && name.pending.lookAt < routine ? later(name.pending.lookAt, now) : routine;
  }

  /** The next look of a name whose promise became a tighter one. */
  noLaterThanPromised({ lastCheckedAt, nextCheckAt, intervalMinutes }: WatchedName, now: Date): Date | null {
    if (!nextCheckAt || !lastCheckedAt) return nextCheckAt;
    const promised = later(after(lastCheckedAt, (intervalMinutes * MINUTE) / this.settings.timeScale), now);
    return promised < nextCheckAt ? promised : nextCheckAt;
  }

  /** When to ask again about a name whose last look came out as older than the one before. */
  afterOldNews(now: Date): Date {
    return after(now, MINUTE / this.settings.timeScale);
  }

  /** Spread, so that those who found the budget spent do not all come again at once. */
  private whenGranted(retryAfterSeconds: number | null, now: Date): Date {
    return after(now, Math.max(retryAfterSeconds ?? 0, 1) * SECOND * (1 + this.random()));
  }

  /** Doubles with every failure up to an hour, never beyond the interval, and never before the registry allows it. */
  private afterFailure(name: WatchedName, retryAfterSeconds: number | null, now: Date): Date {
    const doubled = MINUTE * 2 ** Math.min(name.failures - 1, 10);
    const wait = Math.min(name.intervalMinutes * MINUTE, doubled, HOUR) / this.settings.timeScale;
    const spread = wait * (1 + JITTER * (2 * this.random() - 1));
    return after(now, Math.max(spread, (retryAfterSeconds ?? 0) * 1_000));
  }

  /** Milliseconds to the next look where nothing is at stake; the promised interval at most. */
  private untilRoutine(name: WatchedName, now: Date): number {
    const interval = (name.intervalMinutes * MINUTE) / this.settings.timeScale;
    const period = interval - Math.min(interval * EARLIER.part, EARLIER.most / this.settings.timeScale);
    const slot = this.slot(name.domain, period, now);
    const isNew = name.proofAt !== null && name.proofAt.getTime() === name.provenSince?.getTime();
    return slot >= interval * (isNew ? BEFORE_SECOND_LOOK : 1 - JITTER) ? slot : this.early(interval);
  }

  /** Milliseconds to the next look, for what is about to happen to the name; infinite where nothing is. */
  private nearChange(name: WatchedName, now: Date): number {
    const { facts, lastTurn } = name;
    const { timeScale } = this.settings;
    if (!facts) return Infinity;
    if (isBeingDeleted(facts)) return this.early(this.whileDeleted(name.name, facts, now) / timeScale);
    const sinceTurn = lastTurn ? now.getTime() - lastTurn.at.getTime() : Infinity;
    if (facts.outcome === 'absent')
      return sinceTurn <= CALM / timeScale ? this.early(AFTER_A_DROP / timeScale) : Infinity;
    const left = facts.expiresAt ? facts.expiresAt.getTime() - now.getTime() : Infinity;
    return Math.abs(left) <= DAY ? this.early(NEAR_EXPIRY / timeScale) : Infinity;
  }

  private whileDeleted(name: DomainName, facts: RegistrationFacts, now: Date): number {
    const window = this.forecast(name, facts, now);
    if (!window) return WHILE_DELETED;
    const begins = after(window.earliest, -MARGIN_OF_WINDOW).getTime() - now.getTime();
    if (begins > 0) return Math.min(WHILE_DELETED, begins);
    const isOver = window.latest !== null && now > after(window.latest, MARGIN_OF_WINDOW);
    return isOver ? WHILE_DELETED : IN_DROP_WINDOW;
  }

  private early(interval: number): number {
    return interval * (1 - JITTER * this.random());
  }
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
