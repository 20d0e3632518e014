import { SECOND } from '../../kernel/clock.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';

/** A lookup that has no result by then is no longer waited for: ten seconds, after up to three until admission. */
export const MAX_LOOKUP_MS = 14 * SECOND;

/** A lease that was not renewed for so long counts as lost with its process. */
export const LOOKUP_LEASE_MS = 4 * SECOND;

/** The clocks of busy processes differ by up to this. Of two closer observations, the one published later counts. */
export const CLOCK_SKEW_MS = SECOND;

/** A change that is committed so long after it was written may be missed. */
export const CHANGES_LOOKBACK_MS = 10 * SECOND;

/** What a process that needs a lookup has to do. */
export type LookupClaim =
  /** A recent observation of any process is acceptable. */
  | { readonly kind: 'cached'; readonly observation: Observation }
  /** This process leads: it makes the lookup and publishes the result that the others wait for. */
  | { readonly kind: 'acquired'; readonly leaseId: string }
  /** Another process leads. */
  | { readonly kind: 'in_flight'; readonly leaseId: string };

export interface PublishedResult {
  readonly name: DomainName;
  readonly result: LookupResult;
  /** null if no other process waits for the result. */
  readonly leaseId: string | null;
  /** An observation answers checks until then. */
  readonly freshUntil: Date;
}

/** A name whose facts changed, or whose absence is in doubt. */
export interface ChangedName {
  readonly domain: string;
  /** Counts from 1970 on. */
  readonly observedAtMs: number;
}

export interface Changes {
  readonly names: readonly ChangedName[];
  /** Is a time of the database's clock. Every change of before is among these names, or could be read earlier. */
  readonly settledUntil: Date;
}

/** Shares lookups between processes. A failure answers the requests that waited for it, and no later ones. */
export abstract class LookupCoordinator {
  /** @param notBefore the earliest acceptable observation; null: only a live lookup is acceptable */
  abstract acquireOrJoin(name: DomainName, notBefore: Date | null): Promise<LookupClaim>;

  /** Waits for another process. Null when its lease was lost, so that the lookup has to be made again. */
  abstract awaitResult(name: DomainName, leaseId: string): Promise<LookupResult | null>;

  abstract publish(result: PublishedResult): Promise<void>;

  /** Ends the lease without a result, after a bug. */
  abstract release(name: DomainName, leaseId: string): Promise<void>;

  /** @param since at the latest `settledUntil` of the last call; null: all changes within CHANGES_LOOKBACK_MS */
  abstract findChanges(since: Date | null): Promise<Changes>;

  /** Whether the parent zone delegated the name when it was last heard, within DNS_VETO_KEPT_MS. */
  abstract wasDelegated(name: DomainName): Promise<boolean>;

  /** Names of a TLD that were registered at their latest lookup, the most recent first. */
  abstract findRegistered(tld: string, count: number): Promise<readonly string[]>;
}
