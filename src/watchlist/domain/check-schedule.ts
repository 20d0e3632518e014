import { isBeingDeleted, type RegistrationFacts, type DomainName, type LookupResult } from '../../domains/language.js';
import {
  type PendingConfirmation,
  type ConfirmationPolicy,
  flapBackoff,
  type StatusTransition,
} from './confirmation.js';
import { after, DAY, HOUR, latest, MINUTE, SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import { type RecordPolicy, recordRecheckAt, type RecordState } from './record-rules.js';

/** How urgent a check is. If the rate limit makes checks wait, those with the lowest number go first. */
export const URGENCIES = { dropping: 0, changing: 1, routine: 2 } as const;
export type Urgency = (typeof URGENCIES)[keyof typeof URGENCIES];

export function calculateUrgency({ pending, facts }: Pick<ScheduledName, 'pending' | 'facts'>): Urgency {
  // The registry did not even find a name that certainly exists (the canary). More frequent checks would not help.
  if (pending?.waitingFor === 'canary') return URGENCIES.routine;
  if (pending || (facts && isBeingDeleted(facts))) return URGENCIES.dropping;
  return facts?.outcome === 'absent' ? URGENCIES.changing : URGENCIES.routine;
}

export interface CheckScheduleSettings {
  /** The time between the two lookups that confirm a change, such as a "not found" or new name servers. */
  readonly confirmationSpacingMs: number;
  readonly pendingDeleteConfirmationSpacingMs: number;
  /** The default number of days before the expiry from which a name counts as `expiring`. */
  readonly expiringWindowDays: number;
}

interface DropWindow {
  readonly earliest: Date;
  readonly latest: Date | null;
}

/** Forecasts when a registry will delete a name. Returns null if unknown. */
export interface DropForecast {
  /**
   * Forecasts by the registry's rules.
   * @param deletion the times between which the deletion began; null if no check saw the deletion begin
   */
  byRule(
    name: DomainName,
    facts: RegistrationFacts,
    now: Date,
    deletion: { readonly after: Date; readonly by: Date } | null,
  ): DropWindow | null;
  /** Forecasts by the registry's published list of names to delete (drop list). */
  byList(name: DomainName, facts: RegistrationFacts, now: Date): DropWindow | null;
}

/** A check may deviate from its interval by this share. */
const JITTER_RATIO = 0.1;
/** Checks are scheduled 2 % (at most 10 s) early, so that a slightly late check still keeps to the interval. */
const SCHEDULE_LEAD = { ratio: 0.02, maxSeconds: 10 };
/** The second routine check of a new name waits at least this share of the interval. */
const MIN_SECOND_CHECK_RATIO = 0.05;

/** A doubtful "not found" is checked again after this time, because the next answer may settle the doubt. */
const RECHECK_AFTER_DOUBT_MINUTES = 5;
/** A name that kept its status this long no longer counts as flapping (changing to and fro). */
const FLAP_WINDOW_HOURS = 24;
/** A change that was seen once is forgotten if no lookup confirms it within this time. */
const CANDIDATE_TTL_HOURS = 24;

/** Checks run at these shorter intervals around an expected deletion or expiry. */
const DROP_WINDOW_INTERVAL_MS = MINUTE;
const PENDING_DELETE_INTERVAL_MS = HOUR;
const AFTER_DROP_INTERVAL_MINUTES = 15;
const NEAR_EXPIRY_INTERVAL_HOURS = 6;
/** Widens the expected deletion window on both sides, because registry clocks differ from ours. */
export const DROP_WINDOW_MARGIN_MS = HOUR;

interface ScheduledName {
  readonly domain: string;
  readonly name: DomainName;
  readonly intervalMinutes: number;
  readonly nextCheckAt: Date | null;
  readonly lastCheckedAt: Date | null;
  readonly facts: RegistrationFacts | null;
  readonly factsSince: Date | null;
  readonly factsConfirmedAt: Date | null;
  readonly pending: PendingConfirmation | null;
  readonly recordState: RecordState | null;
  readonly lastTransition: StatusTransition | null;
  readonly failures: number;
}

/** Decides when a name is checked next. TIME_SCALE scales the intervals, except a registry's Retry-After. */
export class CheckSchedule {
  constructor(
    private readonly settings: CheckScheduleSettings,
    private readonly units: TimeUnits,
    private readonly random: () => number,
    private readonly forecast: DropForecast,
    private readonly delayToOffset: typeof msUntilOffset,
    private readonly steadySince: () => Date | null,
  ) {}

  confirmationPolicyFor(name: ScheduledName, now: Date): ConfirmationPolicy {
    const isDropping = name.facts !== null && isBeingDeleted(name.facts);
    const { confirmationSpacingMs, pendingDeleteConfirmationSpacingMs, expiringWindowDays } = this.settings;
    const shared = this.sharedPolicy();
    const spacing = this.scaled(isDropping ? pendingDeleteConfirmationSpacingMs : confirmationSpacingMs);
    return {
      ...shared,
      spacingMs: spacing * flapBackoff(name.lastTransition, now, shared.flapWindowMs),
      defaultWindowDays: expiringWindowDays,
    };
  }

  recordPolicy(now: Date): RecordPolicy {
    const shared = this.sharedPolicy();
    const spacing = this.scaled(this.settings.confirmationSpacingMs);
    return { ...shared, spacingMs: (last) => spacing * flapBackoff(last, now, shared.flapWindowMs) };
  }

  private sharedPolicy() {
    const { minute, hour } = this.units;
    return {
      recheckAfterDoubtMs: RECHECK_AFTER_DOUBT_MINUTES * minute,
      candidateTtlMs: CANDIDATE_TTL_HOURS * hour,
      flapWindowMs: FLAP_WINDOW_HOURS * hour,
      steadySince: this.steadySince(),
    };
  }

  /** Returns the time of the next check: sooner near an expected change, later if the registry asks for a pause. */
  nextCheck(name: ScheduledName, result: LookupResult, now: Date): Date {
    if (result.kind === 'failure' && result.notSent === 'budget')
      return this.afterBudgetRejection(result.retryAfterSeconds, now);
    if (result.kind === 'failure' && result.doubt !== 'in_zone')
      return this.afterFailure(name, result.retryAfterSeconds, now);
    const interval = this.routineDelayMs(name, now);
    const requestedDelayMs =
      result.kind === 'observation'
        ? result.recheckWithinMs
        : this.confirmationPolicyFor(name, now).recheckAfterDoubtMs;
    const recordRecheck = recordRecheckAt(name.recordState);
    const recordDelayMs = recordRecheck && recordRecheck > now ? recordRecheck.getTime() - now.getTime() : Infinity;
    const delayMs = Math.min(interval, requestedDelayMs ?? interval, this.delayNearChangeMs(name, now), recordDelayMs);
    const routine = after(now, delayMs);
    return name.pending && name.pending.recheckAt < routine ? latest(name.pending.recheckAt, now) : routine;
  }

  /** Returns the planned time of the next check, or the end of the required interval if that is earlier. */
  withinRequiredInterval({ lastCheckedAt, nextCheckAt, intervalMinutes }: ScheduledName, now: Date): Date | null {
    if (!nextCheckAt || !lastCheckedAt) return nextCheckAt;
    const requiredBy = latest(after(lastCheckedAt, intervalMinutes * this.units.minute), now);
    return requiredBy < nextCheckAt ? requiredBy : nextCheckAt;
  }

  afterStaleResult(now: Date): Date {
    return after(now, this.units.minute);
  }

  /** Adds a random delay, so that names that our rate limit rejected are not all due at the same time. */
  private afterBudgetRejection(retryAfterSeconds: number | null, now: Date): Date {
    return after(now, Math.max(retryAfterSeconds ?? 0, 1) * SECOND * (1 + this.random()));
  }

  /**
   * Doubles the delay with every failure, up to an hour or the interval, whichever is shorter. Waits at least for
   * Retry-After.
   */
  private afterFailure(name: ScheduledName, retryAfterSeconds: number | null, now: Date): Date {
    const { minute, hour } = this.units;
    const doubled = minute * 2 ** Math.min(name.failures - 1, 10);
    const wait = Math.min(name.intervalMinutes * minute, doubled, hour);
    const spread = wait * (1 + JITTER_RATIO * (2 * this.random() - 1));
    return after(now, Math.max(spread, (retryAfterSeconds ?? 0) * 1_000));
  }

  /** Returns the milliseconds until the next routine check, at most the required interval. */
  private routineDelayMs(name: ScheduledName, now: Date): number {
    const interval = name.intervalMinutes * this.units.minute;
    const period = interval - Math.min(interval * SCHEDULE_LEAD.ratio, SCHEDULE_LEAD.maxSeconds * this.units.second);
    const delay = this.delayToOffset(name.domain, period, now);
    const isNew = name.factsConfirmedAt !== null && name.factsConfirmedAt.getTime() === name.factsSince?.getTime();
    return delay >= interval * (isNew ? MIN_SECOND_CHECK_RATIO : 1 - JITTER_RATIO) ? delay : this.withJitter(interval);
  }

  /**
   * Returns the delay if the name is being deleted, is on a drop list, was just released, or is near its expiry.
   * Returns Infinity for other names.
   */
  private delayNearChangeMs(name: ScheduledName, now: Date): number {
    const { facts, lastTransition } = name;
    const { minute, hour } = this.units;
    if (!facts) return Infinity;
    const listed = this.forecast.byList(name.name, facts, now);
    if (isBeingDeleted(facts)) {
      const window = listed ?? this.forecast.byRule(name.name, facts, now, observedDeletion(name));
      return this.withJitter(this.scaled(Math.min(PENDING_DELETE_INTERVAL_MS, delayInWindowMs(window, now))));
    }
    if (listed) return this.withJitter(this.scaled(delayInWindowMs(listed, now)));
    const sinceTransitionMs = lastTransition ? now.getTime() - lastTransition.at.getTime() : Infinity;
    if (facts.outcome === 'absent')
      return sinceTransitionMs <= FLAP_WINDOW_HOURS * hour
        ? this.withJitter(AFTER_DROP_INTERVAL_MINUTES * minute)
        : Infinity;
    const msToExpiry = facts.expiresAt ? facts.expiresAt.getTime() - now.getTime() : Infinity;
    return Math.abs(msToExpiry) <= DAY ? this.withJitter(NEAR_EXPIRY_INTERVAL_HOURS * hour) : Infinity;
  }

  private scaled(ms: number): number {
    return (ms * this.units.second) / SECOND;
  }

  private withJitter(interval: number): number {
    return interval * (1 - JITTER_RATIO * this.random());
  }
}

/**
 * A check first saw the deletion at `by`. The previous check may be two intervals (at least a day) older, so the
 * deletion began after `after`.
 */
function observedDeletion({ lastTransition, intervalMinutes }: ScheduledName) {
  if (lastTransition?.to !== 'pending_delete') return null;
  return { after: after(lastTransition.at, -Math.max(DAY, 2 * intervalMinutes * MINUTE)), by: lastTransition.at };
}

/** Returns the milliseconds until the window begins, or the check interval inside the window. */
function delayInWindowMs(window: DropWindow | null, now: Date): number {
  if (!window) return Infinity;
  const msToWindow = after(window.earliest, -DROP_WINDOW_MARGIN_MS).getTime() - now.getTime();
  if (msToWindow > 0) return msToWindow;
  const isOver = window.latest !== null && now > after(window.latest, DROP_WINDOW_MARGIN_MS);
  return isOver ? Infinity : DROP_WINDOW_INTERVAL_MS;
}

/**
 * Returns a number from 0 to 1 that spreads the checks of names that were added together. FNV-1a with the final mix of
 * MurmurHash3.
 */
function hashOffset(domain: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < domain.length; i += 1) hash = Math.imul(hash ^ domain.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Each name has a fixed point in every interval. Returns the milliseconds until the next point: more than 0, at most
 * the interval.
 */
export function msUntilOffset(domain: string, intervalMs: number, now: Date): number {
  // Counts whole milliseconds, as stored dates do. With fractions, a check could be due again at once.
  const periodMs = Math.max(1, Math.floor(intervalMs));
  const sinceOffsetMs = (now.getTime() - Math.floor(hashOffset(domain) * periodMs)) % periodMs;
  return periodMs - (sinceOffsetMs < 0 ? sinceOffsetMs + periodMs : sinceOffsetMs);
}
