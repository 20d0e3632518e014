import { after, DAY } from '../../../kernel/clock.js';
import type { DeletionRule } from '../tld-rules.js';
import type { LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import { getReleasePeriod } from '../lifecycle/release-periods.js';

/** When a name may become free, should nobody keep it. What the rule does not tell is null. */
export interface DropWindow {
  readonly earliest: Date;
  readonly likely: Date | null;
  readonly latest: Date | null;
  /** The rule it rests on, with its source. */
  readonly basis: string;
  /** `high`: nobody can keep it any more; `medium`: it takes a restore; `low`: a renewal is enough, or the rule is rough. */
  readonly confidence: 'high' | 'medium' | 'low';
}

const MAX_AUTO_RENEW_AGE_MS = 90 * DAY;

/** Null for a name that is not on its way out, and where the registry's rule is not known. */
export function computeDropWindow(
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  rule: DeletionRule | null,
  now: Date,
): DropWindow | null {
  const release = facts.release ? getReleasePeriod(facts.release) : null;
  if (release) return toDropWindow(release, now, after(now, release.maxDays * DAY), null, 'medium');
  switch (rule?.kind) {
    case 'epp':
      return eppWindow(facts, phase, rule, now);
    case 'quarantine':
      return isDeletionPhase(phase) ? toDropWindow(rule, now, after(now, rule.days * DAY), null, 'medium') : null;
    case 'after_expiry':
      return isDeletionPhase(phase) || phase === 'expired_grace' ? afterExpiry(facts, phase, rule, now) : null;
    case undefined:
      return null;
  }
}

/**
 * The day on which the registry renewed the name by itself, in whose auto-renew period it still is. The date of expiry
 * has moved on by a year then, although the owner may not have paid.
 */
export function autoRenewedOn({ statuses, expiresAt }: RegistrationFacts, now: Date): Date | null {
  if (!statuses.includes('auto renew period') || !expiresAt || expiresAt <= now) return null;
  const renewed = new Date(expiresAt);
  renewed.setUTCFullYear(renewed.getUTCFullYear() - 1);
  const ageMs = now.getTime() - renewed.getTime();
  return ageMs >= 0 && ageMs <= MAX_AUTO_RENEW_AGE_MS ? renewed : null;
}

type EppRule = Extract<DeletionRule, { kind: 'epp' }>;

/** Each period may have begun just now or be about to end; the day of expiry narrows that down where it is known. */
function eppWindow(facts: RegistrationFacts, phase: LifecyclePhase, rule: EppRule, now: Date): DropWindow | null {
  const remaining = remainingPeriods(phase, rule);
  if (!remaining) return null;
  const expiredOn = unrenewedExpiry(facts, now);
  const end = expiredOn && after(expiredOn, (rule.autoRenewDays + rule.redemptionDays + rule.pendingDeleteDays) * DAY);
  return toDropWindow(
    rule,
    after(now, remaining.minDays * DAY),
    after(now, remaining.maxDays * DAY),
    end,
    remaining.confidence,
  );
}

/** The days that the periods still to come take at least and at most. */
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

/** The expiry that nobody renewed. */
function unrenewedExpiry(facts: RegistrationFacts, now: Date): Date | null {
  const { expiresAt } = facts;
  return expiresAt && expiresAt <= now ? expiresAt : autoRenewedOn(facts, now);
}

const CONFIDENCE = { pending_delete: 'high', redemption: 'medium' } as const;

function afterExpiry(
  { expiresAt }: RegistrationFacts,
  phase: LifecyclePhase,
  rule: DeletionRule & { days: number },
  now: Date,
): DropWindow | null {
  if (!expiresAt || expiresAt > now) return null;
  const confidence = phase === 'pending_delete' || phase === 'redemption' ? CONFIDENCE[phase] : 'low';
  const dropAt = after(expiresAt, rule.days * DAY);
  return dropAt < now ? null : { earliest: dropAt, likely: dropAt, latest: null, basis: rule.source, confidence };
}

/** @param likely counts only where the window leaves room for it: a date outside speaks of something else. */
function toDropWindow(
  { source: basis }: Pick<DeletionRule, 'source'>,
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
