import { DAY } from '../../kernel/clock.js';
import type { Lifecycle, RegistrationFacts } from '../../domains/language.js';

/** The kinds of changes of a name's status or phase. */
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

/** A smaller shift of the expiry date counts as a correction, not as a renewal. */
export const MIN_RENEWAL_MS = 28 * DAY;

/** The dates that were known when the status last changed. A change of only the phase does not count. */
interface KnownDates {
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
}

/** Returns null if nothing changed. Any state may follow any other, because the registry decides. */
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
