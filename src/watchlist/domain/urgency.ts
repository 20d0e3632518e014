import { isBeingDeleted, type RegistrationFacts } from '../../domains/language.js';
import type { PendingConfirmation } from './confirmation.js';

/** Check order when the budget is short: lower goes first. */
export const URGENCIES = { dropping: 0, changing: 1, routine: 2 } as const;
export type Urgency = (typeof URGENCIES)[keyof typeof URGENCIES];

interface UrgencyInput {
  readonly pending: PendingConfirmation | null;
  readonly facts: RegistrationFacts | null;
}

export function calculateUrgency({ pending, facts }: UrgencyInput): Urgency {
  // A held drop must not take the budget of its canaries.
  if (pending?.waitingFor === 'canary') return URGENCIES.routine;
  if (pending || (facts && isBeingDeleted(facts))) return URGENCIES.dropping;
  return facts?.outcome === 'absent' ? URGENCIES.changing : URGENCIES.routine;
}
