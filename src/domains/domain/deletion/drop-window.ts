import { after, DAY, HOUR } from '../../../kernel/clock.js';
import type { LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import { getReleasePeriod, type ReleasePeriod } from '../lifecycle/release-periods.js';
import type { DeletionRule } from './release-rules.js';

/** The time in which a name may be deleted. Unknown dates are null. */
export interface DropWindow {
  readonly earliest: Date;
  readonly likely: Date | null;
  readonly latest: Date | null;
  /** The source of the window, such as `rule of DENIC: …`. `registry: …` means a date in the name's record. */
  readonly basis: string;
  /**
   * `high`: nobody can restore the name. `medium`: the holder can, or some people may already register the name. `low`:
   * renewal is possible, or the rule is uncertain.
   */
  readonly confidence: 'high' | 'medium' | 'low';
}

const MAX_AUTO_RENEW_AGE_MS = 90 * DAY;

/** The times of the two checks between which a deletion began. */
export interface ObservedDeletion {
  readonly after: Date;
  readonly by: Date;
}

/**
 * Returns when the name may become available, if known.
 * @param deletion null if no watch saw the deletion begin
 */
export function computeDropWindow(
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  rule: DeletionRule | null,
  now: Date,
  deletion: ObservedDeletion | null = null,
): DropWindow | null {
  const release = facts.release ? getReleasePeriod(facts.release) : null;
  if (release) return release.maxDays === null ? null : releaseWindow(release, release.maxDays, now);
  const stated = statedWindow(facts, phase, now);
  if (stated) return stated;
  const window = ruleWindow(facts, phase, rule, now, deletion);
  return window && rule?.confirmedIn === null ? { ...window, confidence: 'low' } : window;
}

function ruleWindow(
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  rule: DeletionRule | null,
  now: Date,
  deletion: ObservedDeletion | null,
): DropWindow | null {
  switch (rule?.kind) {
    case 'epp':
      return eppWindow(facts, phase, rule, now);
    case 'quarantine':
      return isDeletionPhase(phase) ? quarantineWindow(rule, now, deletion) : null;
    case 'after_expiry':
      return isDeletionPhase(phase) || phase === 'expired_grace' ? afterExpiry(facts, phase, rule, now) : null;
    case undefined:
      return null;
  }
}

/**
 * Returns when the registry renewed a name automatically, else null. In the auto-renew period, the expiry date is
 * already a year ahead, although the holder may not have paid.
 */
export function autoRenewedOn({ statuses, expiresAt }: RegistrationFacts, now: Date): Date | null {
  if (!statuses.includes('auto renew period') || !expiresAt || expiresAt <= now) return null;
  const renewed = new Date(expiresAt);
  renewed.setUTCFullYear(renewed.getUTCFullYear() - 1);
  const ageMs = now.getTime() - renewed.getTime();
  return ageMs >= 0 && ageMs <= MAX_AUTO_RENEW_AGE_MS ? renewed : null;
}

function releaseWindow({ id, source }: ReleasePeriod, maxDays: number, now: Date): DropWindow {
  return toDropWindow(`release period ${id}: ${source}`, now, after(now, maxDays * DAY), null, 'medium');
}

/**
 * The longest time from `releasesAt` to the end of the stated day. `releasesAt` assumes summer time. In winter, the day
 * begins and ends an hour later.
 */
const STATED_DAY_MS = DAY + HOUR;

/** Returns null after the stated day, because the name was then renewed or its release is late. */
function statedWindow({ releasesAt }: RegistrationFacts, phase: LifecyclePhase, now: Date): DropWindow | null {
  if (!releasesAt || !(isDeletionPhase(phase) || phase === 'expired_grace')) return null;
  const end = after(releasesAt, STATED_DAY_MS);
  const basis = 'registry: its WHOIS says on which day it releases the name';
  return end < now ? null : toDropWindow(basis, releasesAt, end, null, toConfidence(phase));
}

function quarantineWindow(
  rule: Extract<DeletionRule, { kind: 'quarantine' }>,
  now: Date,
  deletion: ObservedDeletion | null,
): DropWindow {
  const end = deletion && after(deletion.by, rule.days * DAY);
  if (!deletion || !end || end < now)
    return toDropWindow(toBasis(rule), now, after(now, rule.days * DAY), null, 'medium');
  const start = after(deletion.after, rule.days * DAY);
  return toDropWindow(toBasis(rule), start > now ? start : now, end, null, 'medium');
}

type EppRule = Extract<DeletionRule, { kind: 'epp' }>;

/** Returns the earliest and latest possible time of the deletion. A known expiry date narrows the window. */
function eppWindow(facts: RegistrationFacts, phase: LifecyclePhase, rule: EppRule, now: Date): DropWindow | null {
  const remaining = remainingPeriods(phase, rule);
  if (!remaining) return null;
  const expiredOn = unrenewedExpiry(facts, now);
  const end = expiredOn && after(expiredOn, (rule.autoRenewDays + rule.redemptionDays + rule.pendingDeleteDays) * DAY);
  return toDropWindow(
    toBasis(rule),
    after(now, remaining.minDays * DAY),
    after(now, remaining.maxDays * DAY),
    end,
    remaining.confidence,
  );
}

function remainingPeriods(
  phase: LifecyclePhase,
  { autoRenewDays: autoRenew, redemptionDays: redemption, pendingDeleteDays: pendingDelete }: EppRule,
) {
  const deletionDays = redemption + pendingDelete;
  if (phase === 'pending_delete') return { minDays: 0, maxDays: pendingDelete, confidence: 'high' } as const;
  if (phase === 'redemption') return { minDays: pendingDelete, maxDays: deletionDays, confidence: 'medium' } as const;
  if (phase === 'expired_grace')
    return { minDays: deletionDays, maxDays: autoRenew + deletionDays, confidence: 'low' } as const;
  return null;
}

function unrenewedExpiry(facts: RegistrationFacts, now: Date): Date | null {
  const { expiresAt } = facts;
  return expiresAt && expiresAt <= now ? expiresAt : autoRenewedOn(facts, now);
}

function toConfidence(phase: LifecyclePhase): DropWindow['confidence'] {
  if (phase === 'pending_delete') return 'high';
  return phase === 'redemption' ? 'medium' : 'low';
}

function afterExpiry(
  { expiresAt }: RegistrationFacts,
  phase: LifecyclePhase,
  rule: Extract<DeletionRule, { kind: 'after_expiry' }>,
  now: Date,
): DropWindow | null {
  if (!expiresAt || expiresAt > now) return null;
  const dropAt = dropTime(expiresAt, rule);
  if (dropAt < now) return null;
  const window = { earliest: dropAt, latest: null, basis: toBasis(rule) };
  return rule.isAuctioned
    ? { ...window, likely: null, confidence: 'low' }
    : { ...window, likely: dropAt, confidence: toConfidence(phase) };
}

function dropTime(expiresAt: Date, { days, notBeforeHour }: Extract<DeletionRule, { kind: 'after_expiry' }>): Date {
  const dropAt = after(expiresAt, days * DAY);
  if (notBeforeHour === null) return dropAt;
  return after(new Date(dropAt.toISOString().slice(0, 10)), notBeforeHour * HOUR);
}

function toBasis({ operator, source }: DeletionRule): string {
  return `rule of ${operator}: ${source}`;
}

/** @param likely the most likely time; inside the window, this time ends the window, otherwise it is ignored */
function toDropWindow(
  basis: string,
  earliest: Date,
  latest: Date,
  likely: Date | null,
  confidence: DropWindow['confidence'],
): DropWindow {
  const fits = likely !== null && likely >= earliest && likely <= latest;
  return { earliest, likely: fits ? likely : null, latest: fits ? likely : latest, basis, confidence };
}

function isDeletionPhase(phase: LifecyclePhase): boolean {
  return phase === 'redemption' || phase === 'pending_delete';
}
