import type { WatchedName, WatchedNameFields } from '../../domain/watched-name/watched-name.js';

/** A name after a look that concerns its own row alone, and what it has to be before for that to be true. */
export interface RoutineUpdate {
  readonly watchedName: WatchedName;
  readonly expected: Pick<WatchedNameFields, 'revision'>;
}

/** Writes what most looks tell, which is nothing new. */
export abstract class RoutineUpdateRepository {
  /**
   * One statement for all. Nothing is written for a name whose lease had run out.
   * @returns names whose lease was ours and has ended, but which somebody changed meanwhile: their looks have to be taken
   *   in anew
   */
  abstract saveAll(looks: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>>;
}
