import {
  type EntryStatus,
  deriveLifecycle,
  type Observation,
  type RegistrationFacts,
} from '../../../domains/language.js';
import type { ConfirmationPolicy } from './confirmation.js';

/** The last confirmed turn of a name from one status to another. */
export interface StatusTransition {
  readonly from: EntryStatus;
  readonly to: EntryStatus;
  readonly at: Date;
  /** How often turns before it were undone, without a calm time between. */
  readonly flaps: number;
}

/** 2⁴: a name that comes and goes is asked for its second witness 16 times as late, and no later. */
const MAX_DOUBLINGS = 4;

/** @param flapWindowMs milliseconds without a turn after which flapping is over */
export function nextTransition(
  last: StatusTransition | null,
  { from, to, at }: Omit<StatusTransition, 'flaps'>,
  flapWindowMs: number,
): StatusTransition {
  const isWithinWindow = last !== null && at.getTime() - last.at.getTime() <= flapWindowMs;
  const isReverted = isWithinWindow && last.from === to && last.to === from;
  const flaps = isWithinWindow ? last.flaps : 0;
  return { from, to, at, flaps: isReverted ? Math.min(flaps + 1, MAX_DOUBLINGS) : flaps };
}

/** By how much a second look has to come later than usual. */
export function flapBackoff(last: StatusTransition | null, now: Date, flapWindowMs: number): number {
  return last !== null && now.getTime() - last.at.getTime() <= flapWindowMs ? 2 ** last.flaps : 1;
}

/** @returns the last transition of a name whose facts changed, be it an earlier one: not every change is of its status */
export function transitionTo(
  { facts, observedAt: at }: Pick<Observation, 'facts' | 'observedAt'>,
  former: RegistrationFacts,
  last: StatusTransition | null,
  { defaultWindowDays, flapWindowMs }: Pick<ConfirmationPolicy, 'defaultWindowDays' | 'flapWindowMs'>,
): StatusTransition | null {
  const from = deriveLifecycle(former, defaultWindowDays, at).status;
  const to = deriveLifecycle(facts, defaultWindowDays, at).status;
  return from === to ? last : nextTransition(last, { from, to, at }, flapWindowMs);
}
