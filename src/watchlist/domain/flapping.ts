import { type EntryStatus, deriveLifecycle, type Observation, type RegistrationFacts } from '../../domains/language.js';
import type { ConfirmationPolicy } from './confirmation.js';

/** The last confirmed transition from one state to another. */
export interface Transition<State extends string> {
  readonly from: State;
  readonly to: State;
  readonly at: Date;
  /** How many transitions in a row were reverted within the flap window. */
  readonly flaps: number;
}
export type StatusTransition = Transition<EntryStatus>;

/** 2⁴: the second lookup of a flapping name is delayed at most 16 times. */
const MAX_DOUBLINGS = 4;

/** @param flapWindowMs a name without a transition for this long no longer flaps */
export function nextTransition<State extends string>(
  last: Transition<State> | null,
  { from, to, at }: Omit<Transition<State>, 'flaps'>,
  flapWindowMs: number,
): Transition<State> {
  const isWithinWindow = last !== null && at.getTime() - last.at.getTime() <= flapWindowMs;
  const isReverted = isWithinWindow && last.from === to && last.to === from;
  const flaps = isWithinWindow ? last.flaps : 0;
  return { from, to, at, flaps: isReverted ? Math.min(flaps + 1, MAX_DOUBLINGS) : flaps };
}

/** Factor by which the second lookup is delayed. */
export function flapBackoff(
  last: Pick<Transition<string>, 'at' | 'flaps'> | null,
  now: Date,
  flapWindowMs: number,
): number {
  return last !== null && now.getTime() - last.at.getTime() <= flapWindowMs ? 2 ** last.flaps : 1;
}

/** @returns the last transition after a change of facts; the earlier one, when the status stays the same */
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
