import type { WatchedName, WatchedNameFields } from '../domain/watched-name.js';

/** A checked name of which only its own row changes, and the revision it was read with. */
export interface RoutineUpdate {
  readonly watchedName: WatchedName;
  readonly expected: Pick<WatchedNameFields, 'revision'>;
}

/** Writes routine results: no new facts, no entry concerned. Both methods end the leases. */
export abstract class RoutineUpdateRepository {
  /**
   * One statement for all. Nothing is written for a name whose lease has expired.
   * @returns names whose lease was ended but whose revision has changed: their results need the transactional path
   */
  abstract saveAll(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>>;

  /** The same for names of which only the times of their checks have changed, which costs less. */
  abstract saveTimes(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>>;
}
