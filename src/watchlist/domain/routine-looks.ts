import type { WatchedName, WatchedNameFields } from './watched-name.js';

/** A name after a look that concerns its own row alone, and what it has to be before for that to be true. */
export interface RoutineLook {
  readonly watched: WatchedName;
  readonly before: Pick<WatchedNameFields, 'revision'>;
}

/** What became of routine looks. */
export interface Recorded {
  readonly saved: ReadonlySet<string>;
  /** Their lease was ours and has ended, but meanwhile somebody changed the name: the look has to be taken in anew. */
  readonly overtaken: ReadonlySet<string>;
}

/** Writes what most looks tell, which is nothing new. */
export abstract class RoutineLooks {
  /** One statement for all; those whose lease had run out are in neither set, and nothing is written for them. */
  abstract record(looks: readonly RoutineLook[], token: string): Promise<Recorded>;
}
