import { after, DAY } from '../../../kernel/clock.js';
import type { RegistrationFacts } from './registration-facts.js';

export const ENTRY_STATUSES = ['available', 'registered', 'expiring', 'pending_delete'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];
/** The statuses of a check. A watchlist entry shows a reserved name as registered. */
export const CHECK_STATUSES = [...ENTRY_STATUSES, 'reserved'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];
export const LIFECYCLE_PHASES = [
  'available',
  'registered',
  'reserved',
  'hold',
  'expiring',
  'expired_grace',
  'redemption',
  'pending_restore',
  'pending_delete',
] as const;
export type LifecyclePhase = (typeof LIFECYCLE_PHASES)[number];

export interface Lifecycle {
  readonly status: EntryStatus;
  readonly phase: LifecyclePhase;
}

/** A name that expires within this many days is `expiring`. Watchlist entries may set another window. */
export const EXPIRING_WINDOW_DAYS = 30;
/** Registries renew or delete an expired name well within this time. An older expiry date is outdated. */
const MAX_GRACE_MS = 90 * DAY;
const EPOCH = new Date(0);

/** The order of the rules matters: RFC 3915 sets `pendingDelete` during redemption too, so redemption comes first. */
export function deriveLifecycle(facts: RegistrationFacts, windowDays: number, now: Date): Lifecycle {
  const has = (status: string) => facts.statuses.includes(status);
  if (facts.outcome === 'absent') return { status: 'available', phase: 'available' };
  if (has('pending restore')) return { status: 'pending_delete', phase: 'pending_restore' };
  if (has('redemption period')) return { status: 'pending_delete', phase: 'redemption' };
  // `quarantine` is tested before the status `pending delete`, because some registries use this status for redemption
  // too.
  if (facts.quarantine) return { status: 'pending_delete', phase: facts.quarantine };
  if (has('pending delete')) return { status: 'pending_delete', phase: 'pending_delete' };
  if (has('auto renew period') || isWithinGrace(facts, now)) return { status: 'expiring', phase: 'expired_grace' };
  if (isExpiring(facts, windowDays, now)) return { status: 'expiring', phase: 'expiring' };
  if (facts.outcome === 'reserved') return { status: 'registered', phase: 'reserved' };
  if (has('client hold') || has('server hold')) return { status: 'registered', phase: 'hold' };
  return { status: 'registered', phase: 'registered' };
}

/** Whether the registry is deleting the name, restorable or not, regardless of its expiry date. */
export function isBeingDeleted(facts: RegistrationFacts): boolean {
  return deriveLifecycle({ ...facts, expiresAt: null }, 0, EPOCH).status === 'pending_delete';
}

/** Returns `reserved` for a reserved name, but not for a deleted name that only some people may register yet. */
export function deriveCheckStatus(facts: RegistrationFacts, windowDays: number, now: Date): CheckStatus {
  return facts.outcome === 'reserved' && !facts.release ? 'reserved' : deriveLifecycle(facts, windowDays, now).status;
}

/** Returns the next time at which {@link deriveLifecycle} changes without new facts; null if there is none. */
export function nextTimedChange(facts: RegistrationFacts, windowDays: number, now: Date): Date | null {
  if (facts.outcome !== 'found' || !facts.expiresAt) return null;
  const { expiresAt } = facts;
  const boundaries = [after(expiresAt, -windowDays * DAY), after(expiresAt, 1), after(expiresAt, MAX_GRACE_MS + 1)];
  return boundaries.find((instant) => instant > now) ?? null;
}

function isWithinGrace(facts: RegistrationFacts, now: Date): boolean {
  if (!facts.expiresAt) return false;
  const ageMs = now.getTime() - facts.expiresAt.getTime();
  return ageMs > 0 && ageMs <= MAX_GRACE_MS;
}

function isExpiring(facts: RegistrationFacts, windowDays: number, now: Date): boolean {
  if (!facts.expiresAt) return false;
  const remainingMs = facts.expiresAt.getTime() - now.getTime();
  return remainingMs >= 0 && remainingMs <= windowDays * DAY;
}
