import { Injectable, Logger } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { needsSecondWitness } from '../domain/lookup/availability.js';
import { failedLookup, type LookupResult } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { CLOCK_SKEW_MS, LookupCoordinator } from '../lookup-cache/lookup-coordinator.js';
import { WatchlistLink } from '../watchlist-link.js';
import { DomainLookup } from './domain-lookup.js';
import { type FreshnessCriteria, FreshnessPolicy } from '../lookup-cache/lookup-cache.js';

interface SharedResult {
  readonly result: LookupResult;
  readonly isLive: boolean;
}

/** A caller that has waited for this many lookups of others that ended without an answer to it gets a timeout. */
const MAX_LOST_LEADERS = 2;

/**
 * One lookup for all simultaneous requests for a name, in all processes. The first request leads and holds a lease; the
 * others wait for its result. A result that is too old for a request makes it join the next lookup.
 */
@Injectable()
export class LookupSingleFlight {
  private readonly log = new Logger(LookupSingleFlight.name);
  private readonly inFlight = new Map<string, Promise<SharedResult | null>>();

  constructor(
    private readonly lookup: DomainLookup,
    private readonly coordinator: LookupCoordinator,
    private readonly freshness: FreshnessPolicy,
    private readonly link: WatchlistLink,
    private readonly clock: Clock,
  ) {}

  /**
   * Rejects when the database is down, since every waiting request would query the registry at once.
   * @param isolatedFor the account that alone learns of the lookup, with account isolation; else null
   */
  async lookUp(name: DomainName, criteria: FreshnessCriteria, isolatedFor: string | null): Promise<LookupResult> {
    const result = await this.lookUpShared(name, criteria, isolatedFor);
    if (isolatedFor !== null) await this.record(name, result, isolatedFor); // each account that waited, for itself
    return result;
  }

  private async lookUpShared(
    name: DomainName,
    criteria: FreshnessCriteria,
    isolatedFor: string | null,
  ): Promise<LookupResult> {
    let notBefore = criteria.mustBeLive ? null : criteria.notBefore;
    let isSecondRound = false;
    for (let lostLeaders = 0; lostLeaders < MAX_LOST_LEADERS;) {
      const shared = await this.joinOrStart(name, notBefore, isolatedFor);
      if (!shared) lostLeaders += 1;
      else if (shared.isLive && needsSecondWitness(shared.result)) {
        lostLeaders += 1; // a watch's lookup has replaced the result of the check in the table
        notBefore = null;
      } else if (shared.isLive) {
        if (isSecondRound || isRecentEnough(shared.result, criteria)) return shared.result;
        isSecondRound = true;
        notBefore = criteria.notBefore; // another request that waited for the same lookup may have started the next one
      } else if (isAcceptable(shared.result, criteria)) return shared.result;
      else notBefore = null; // the stored observation is not acceptable
    }
    return failedLookup('registry_timeout', `.${name.tld}`, this.clock.now());
  }

  /** Publishes a lookup that no other request waits for. Never rejects: the result is right all the same. */
  async publish(name: DomainName, result: LookupResult, leaseId: string | null = null): Promise<void> {
    try {
      await this.coordinator.publish({ name, result, leaseId, freshUntil: this.freshness.freshUntil(result) });
    } catch (error) {
      this.log.warn({ domain: name.ascii, err: error }, 'lookup result not published to other processes');
    }
  }

  private joinOrStart(
    name: DomainName,
    notBefore: Date | null,
    isolatedFor: string | null,
  ): Promise<SharedResult | null> {
    const inFlight = this.inFlight.get(name.ascii);
    if (inFlight) return inFlight;
    const started = this.start(name, notBefore, isolatedFor).finally(() => this.inFlight.delete(name.ascii));
    this.inFlight.set(name.ascii, started);
    return started;
  }

  private async start(
    name: DomainName,
    notBefore: Date | null,
    isolatedFor: string | null,
  ): Promise<SharedResult | null> {
    const claim = await this.coordinator.acquireOrJoin(name, notBefore);
    switch (claim.kind) {
      case 'cached':
        return { result: claim.observation, isLive: false };
      case 'acquired':
        return { result: await this.runAsLeader(name, claim.leaseId, isolatedFor), isLive: true };
      case 'in_flight': {
        const result = await this.coordinator.awaitResult(name, claim.leaseId);
        return result && { result, isLive: true };
      }
    }
  }

  /**
   * Records and publishes before any request is answered, so that a watch on the name agrees with it and no later request
   * gets this result as a live one.
   */
  private async runAsLeader(name: DomainName, leaseId: string, isolatedFor: string | null): Promise<LookupResult> {
    try {
      const result = await this.lookup.runForCheck(name);
      if (isolatedFor === null) await this.record(name, result, null);
      await this.publish(name, result, leaseId);
      return result;
    } catch (error) {
      await this.release(name, leaseId);
      throw error;
    }
  }

  /** Never rejects: the result is right even if it could not be recorded. */
  private async record(name: DomainName, result: LookupResult, accountId: string | null): Promise<void> {
    try {
      await this.link.watchlist.recordCheck(name, result, accountId);
    } catch (error) {
      this.log.error({ domain: name.ascii, err: error }, 'check not recorded');
    }
  }

  private async release(name: DomainName, leaseId: string): Promise<void> {
    try {
      await this.coordinator.release(name, leaseId);
    } catch (error) {
      this.log.warn(
        { domain: name.ascii, err: error },
        'lookup lease not released; other processes wait until it ends',
      );
    }
  }
}

/** A failure reports nothing about the name, so it cannot be too old for a request that waited for it. */
function isRecentEnough(result: LookupResult, { notBefore }: FreshnessCriteria): boolean {
  return result.kind === 'failure' || result.observedAt >= after(notBefore, -CLOCK_SKEW_MS);
}

function isAcceptable(result: LookupResult, { notBefore, mustBeLive, isFresh }: FreshnessCriteria): boolean {
  if (result.kind === 'failure' || needsSecondWitness(result)) return false;
  return mustBeLive ? result.observedAt >= notBefore : isFresh(result);
}
