import { DAY } from '../../../kernel/clock.js';
import type { Lifecycle, RegistrationFacts } from '../../../domains/language.js';

/** What a change of an entry's status or phase means, in the trade's words. */
export const MOVES = [
  'discovered',
  'dropped',
  'caught',
  'withdrawn',
  'deletion_started',
  'restored',
  'expiring',
  'renewed',
  'reclassified',
  'phase_changed',
] as const;
export type Move = (typeof MOVES)[number];

/** An expiry that moves less than this was corrected, not renewed. */
const MIN_RENEWAL_MS = 28 * DAY;

/** What an entry knew of the registration when its status last moved; a phase inside a status does not count. */
export interface KnownDates {
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
}

/**
 * The move from one lifecycle to another, or null when nothing moved. Any state may follow any other: the registry
 * decides, and this names what it meant. A later date of registration means that the name changed hands.
 */
export function moveBetween(from: Lifecycle, to: Lifecycle, known: KnownDates, facts: RegistrationFacts): Move | null {
  const isNewRegistration = isLater(facts.registeredAt, known.registeredAt);
  if (to.status === 'available') return from.status === 'available' ? null : 'dropped';
  if (from.status === 'available') return to.phase === 'reserved' ? 'withdrawn' : 'caught';
  if (from.status === 'pending_delete' && to.status !== 'pending_delete')
    return isNewRegistration ? 'caught' : 'restored';
  if (isNewRegistration) return 'caught';
  if (from.status !== to.status) return statusMove(to, known, facts);
  return from.phase === to.phase ? null : 'phase_changed';
}

function statusMove(to: Lifecycle, known: KnownDates, facts: RegistrationFacts): Move {
  if (to.status === 'pending_delete') return 'deletion_started';
  if (to.status === 'expiring') return 'expiring';
  return isLater(facts.expiresAt, known.expiresAt, MIN_RENEWAL_MS) ? 'renewed' : 'reclassified';
}

function isLater(date: Date | null, than: Date | null, byAtLeast = 1): boolean {
  return date !== null && than !== null && date.getTime() - than.getTime() >= byAtLeast;
}
