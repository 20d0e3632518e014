import { Injectable, Logger } from '@nestjs/common';
import { after, Clock } from '../../../kernel/clock.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupResult, LookupFailure, Observation } from '../../domain/lookup/lookup-result.js';
import { type PublishedResult, LookupCoordinator, CLOCK_SKEW_MS } from '../ports/lookup-coordinator.js';

/** What will do as an shared. */
export interface Freshness {
  /** The earliest time at which the registry may have been asked. */
  readonly notBefore: Date;
  /** No proof will do that was kept when the question came. */
  readonly mustBeLive: boolean;
  readonly isFresh: (observation: Observation) => boolean;
}

/** How to get a live one. */
export interface LiveLookup {
  /** Asks the registry, and tells whoever has to know. */
  readonly run: () => Promise<LookupResult>;
  readonly freshUntil: (result: LookupResult) => Date;
}

interface SharedResult {
  readonly result: LookupResult;
  readonly isLive: boolean;
}

/** So often another process may be lost while somebody waits for it; then the caller has waited long enough. */
const MAX_LOST_LEADERS = 2;

/**
 * One question to the registry for everybody who has it at the same time, in whatever process: what is under way serves
 * all who come until it ends, unless the registry was asked too long before for them; those share the next one. What was
 * proven before serves those to whom it is fresh.
 */
@Injectable()
export class LookupSingleFlight {
  private readonly log = new Logger(LookupSingleFlight.name);
  private readonly inFlight = new Map<string, Promise<SharedResult | null>>();

  constructor(
    private readonly coordinator: LookupCoordinator,
    private readonly clock: Clock,
  ) {}

  /** Rejects when the database is away: the registry might be asked by everybody at once. */
  async lookUp(name: DomainName, freshness: Freshness, lookup: LiveLookup): Promise<LookupResult> {
    let notBefore = freshness.mustBeLive ? null : freshness.notBefore;
    let isSecondRound = false;
    for (let lostLeaders = 0; lostLeaders < MAX_LOST_LEADERS;) {
      const shared = await this.joinOrStart(name, notBefore, lookup);
      if (!shared) lostLeaders += 1;
      else if (shared.isLive) {
        if (isSecondRound || isRecentEnough(shared.result, freshness)) return shared.result;
        isSecondRound = true;
        notBefore = freshness.notBefore; // who shared that flight may have asked again already
      } else if (isAcceptable(shared.result, freshness)) return shared.result;
      else notBefore = null; // what is kept will not do
    }
    return this.toTimeout(name);
  }

  /** For a look that was made for its own sake. Never rejects; what the registry said is right all the same. */
  async publish(result: PublishedResult): Promise<void> {
    try {
      await this.coordinator.publish(result);
    } catch (error) {
      this.log.warn({ domain: result.name.ascii, err: error }, 'a look was not shared with other processes');
    }
  }

  private joinOrStart(name: DomainName, notBefore: Date | null, lookup: LiveLookup): Promise<SharedResult | null> {
    const inFlight = this.inFlight.get(name.ascii);
    if (inFlight) return inFlight;
    const started = this.start(name, notBefore, lookup).finally(() => this.inFlight.delete(name.ascii));
    this.inFlight.set(name.ascii, started);
    return started;
  }

  private async start(name: DomainName, notBefore: Date | null, lookup: LiveLookup): Promise<SharedResult | null> {
    const claim = await this.coordinator.acquireOrJoin(name, notBefore);
    switch (claim.kind) {
      case 'cached':
        return { result: claim.observation, isLive: false };
      case 'acquired':
        return { result: await this.runAsLeader(name, claim.leaseId, lookup), isLive: true };
      case 'in_flight': {
        const result = await this.coordinator.awaitResult(name, claim.leaseId);
        return result && { result, isLive: true };
      }
    }
  }

  /** It lands before anybody is answered: whoever asks after that, anywhere, does not get this flight's answer as live. */
  private async runAsLeader(name: DomainName, leaseId: string, { run, freshUntil }: LiveLookup): Promise<LookupResult> {
    try {
      const result = await run();
      await this.publish({ name, result, leaseId, freshUntil: freshUntil(result) });
      return result;
    } catch (error) {
      await this.release(name, leaseId);
      throw error;
    }
  }

  private async release(name: DomainName, leaseId: string): Promise<void> {
    try {
      await this.coordinator.release(name, leaseId);
    } catch (error) {
      this.log.warn({ domain: name.ascii, err: error }, 'a flight was not given up; others wait for its deadline');
    }
  }

  private toTimeout({ tld }: DomainName): LookupFailure {
    const timeout = { registry: `.${tld}`, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'registry_timeout', ...timeout };
  }
}

/** An error says nothing about the name, so it cannot be too old: whoever waited for it has waited enough. */
function isRecentEnough(result: LookupResult, { notBefore }: Freshness): boolean {
  return result.kind === 'failure' || result.observedAt >= after(notBefore, -CLOCK_SKEW_MS);
}

function isAcceptable(result: LookupResult, { notBefore, mustBeLive, isFresh }: Freshness): boolean {
  return result.kind === 'observation' && (mustBeLive ? result.observedAt >= notBefore : isFresh(result));
}
