import type { WatchedName } from '../domain/watched-name.js';

/** What a check of a name leaves as it was, unless something has happened. */
const STEADY = [
  'operator',
  'urgency',
  'source',
  'pending',
  'recordState',
  'failures',
  'failingSince',
  'failureCode',
] as const;

export type SteadyState = Pick<WatchedName, 'revision' | (typeof STEADY)[number]>;

export function steadyStateOf(name: WatchedName): SteadyState {
  const { revision, operator, urgency, source, pending, recordState, failures, failingSince, failureCode } = name;
  return { revision, operator, urgency, source, pending, recordState, failures, failingSince, failureCode };
}

/** Whether the check has confirmed the facts and set the time of the next one, and nothing else. */
export function changesTimesOnly(name: WatchedName, before: SteadyState): boolean {
  const { revision, nextCheckAt, factsConfirmedAt, lastCheckedAt } = name;
  return (
    revision === before.revision + 1 &&
    nextCheckAt !== null &&
    factsConfirmedAt !== null &&
    factsConfirmedAt.getTime() === lastCheckedAt?.getTime() &&
    STEADY.every((field) => name[field] === before[field])
  );
}
