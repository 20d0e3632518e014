import { SECOND } from '../../kernel/clock.js';
import type { DomainName } from './domain-name.js';
import type { Look, Proof } from './look.js';

/**
 * A flight that has not landed by then is waited for no longer; milliseconds. A look takes ten seconds at most, and may
 * have waited three for its turn.
 */
export const LONGEST_FLIGHT = 14 * SECOND;

/** A flight of which nothing was heard for so long counts as lost with its process; milliseconds. */
export const FLIGHT_LEASE = 4 * SECOND;

/**
 * The clocks of busy processes differ by this much at times; milliseconds. Of two observations closer than that, the one
 * that landed later counts.
 */
export const SKEW = SECOND;

/** Where a question about a name stands, over all processes. A flight is one look under way. */
export type Standing =
  /** Somebody proved it lately. */
  | { readonly kind: 'proven'; readonly proof: Proof }
  /** It is for us to ask the registry now, and to tell what came of it; everybody else waits for that. */
  | { readonly kind: 'ours'; readonly flight: string }
  /** Another process is asking. */
  | { readonly kind: 'theirs'; readonly flight: string };

/** What came of a look. */
export interface Landing {
  readonly name: DomainName;
  readonly look: Look;
  /** null for a look that nobody else waits for. */
  readonly flight: string | null;
  /** Until when a proof answers checks. */
  readonly freshUntil: Date;
}

/** A name about which somebody learned something else than was known. */
export interface Change {
  readonly domain: string;
  readonly observedAt: Date;
}

/** What the processes share of their looks, as a port. Errors are told to those who waited, and to nobody later. */
export abstract class SharedLooks {
  /** @param notBefore the earliest proof that will do; null: none will, the registry itself is to be asked */
  abstract consult(name: DomainName, notBefore: Date | null): Promise<Standing>;

  /** Waits for another process's flight. Null when it was lost, so that somebody has to ask anew. */
  abstract arrivalOf(name: DomainName, flight: string): Promise<Look | null>;

  abstract land(landing: Landing): Promise<void>;

  /** Our flight came to nothing, for a reason that is a bug. */
  abstract giveUp(name: DomainName, flight: string): Promise<void>;

  /** What changed of late: at least the last `seconds`. */
  abstract changes(seconds: number): Promise<readonly Change[]>;

  /** Names of a TLD that were registered when they were last looked at; those looked at last come first. */
  abstract foundIn(tld: string, count: number): Promise<readonly string[]>;
}

/** For an engine that works by itself. */
export class NothingShared extends SharedLooks {
  consult(): Promise<Standing> {
    return Promise.resolve({ kind: 'ours', flight: '0' });
  }

  arrivalOf(): Promise<null> {
    return Promise.resolve(null);
  }

  land(): Promise<void> {
    return Promise.resolve();
  }

  giveUp(): Promise<void> {
    return Promise.resolve();
  }

  changes(): Promise<readonly Change[]> {
    return Promise.resolve([]);
  }

  foundIn(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
