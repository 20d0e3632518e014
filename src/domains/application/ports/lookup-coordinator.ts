import { SECOND } from '../../../kernel/clock.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupResult, Observation } from '../../domain/lookup/lookup-result.js';

/**
 * A flight that has not landed by then is waited for no longer; milliseconds. A look takes ten seconds at most, and may
 * have waited three for its turn.
 */
export const MAX_LOOKUP_MS = 14 * SECOND;

/** A flight of which nothing was heard for so long counts as lost with its process; milliseconds. */
export const LOOKUP_LEASE_MS = 4 * SECOND;

/**
 * The clocks of busy processes differ by this much at times; milliseconds. Of two observations closer than that, the one
 * that landed later counts.
 */
export const CLOCK_SKEW_MS = SECOND;

/** Where a question about a name stands, over all processes. A flight is one look under way. */
export type LookupClaim =
  /** Somebody proved it lately. */
  | { readonly kind: 'cached'; readonly observation: Observation }
  /** It is for us to ask the registry now, and to tell what came of it; everybody else waits for that. */
  | { readonly kind: 'acquired'; readonly leaseId: string }
  /** Another process is asking. */
  | { readonly kind: 'in_flight'; readonly leaseId: string };

/** What came of a look. */
export interface PublishedResult {
  readonly name: DomainName;
  readonly result: LookupResult;
  /** null for a look that nobody else waits for. */
  readonly leaseId: string | null;
  /** Until when a proof answers checks. */
  readonly freshUntil: Date;
}

/** A name about which somebody learned something else than was known. */
export interface ChangedName {
  readonly domain: string;
  readonly observedAt: Date;
}

/** What the processes share of their looks, as a port. Errors are told to those who waited, and to nobody later. */
export abstract class LookupCoordinator {
  /** @param notBefore the earliest proof that will do; null: none will, the registry itself is to be asked */
  abstract acquireOrJoin(name: DomainName, notBefore: Date | null): Promise<LookupClaim>;

  /** Waits for another process's flight. Null when it was lost, so that somebody has to ask anew. */
  abstract awaitResult(name: DomainName, leaseId: string): Promise<LookupResult | null>;

  abstract publish(result: PublishedResult): Promise<void>;

  /** Our flight came to nothing, for a reason that is a bug. */
  abstract release(name: DomainName, leaseId: string): Promise<void>;

  /** What changed of late: at least the last `seconds`. */
  abstract findChanges(seconds: number): Promise<readonly ChangedName[]>;

  /** Names of a TLD that were registered when they were last looked at; those looked at last come first. */
  abstract findRegistered(tld: string, count: number): Promise<readonly string[]>;
}
