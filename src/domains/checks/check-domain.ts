import { Injectable } from '@nestjs/common';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import {
  type CheckStatus,
  deriveCheckStatus,
  deriveLifecycle,
  EXPIRING_WINDOW_DAYS,
  type Lifecycle,
  type LifecyclePhase,
} from '../domain/lifecycle/lifecycle.js';
import type { LookupFailure, LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import { DomainName, PublicSuffixes } from '../domain/name/domain-name.js';
import { LookupRepository } from '../lookups/lookups.repository.js';
import { WatchlistLink } from '../watchlist-link.js';
import { DomainLookup } from './domain-lookup.js';

export interface CheckResult {
  readonly kind: 'result';
  readonly name: DomainName;
  readonly observation: Observation;
  readonly status: CheckStatus;
  readonly lifecycle: Lifecycle;
  /** Whole seconds since the registry was queried. */
  readonly ageSeconds: number;
}

export interface CheckRequest {
  /** The greatest acceptable age of an answer. If missing, any stored answer that is still fresh will do. */
  readonly maxAgeSeconds?: number | undefined;
  /** The account that asks. Its checks never use answers from the lookups of other accounts. */
  readonly accountId: string;
}

/** The result of a check, or the reason why there is none. An error never becomes a result. */
export type CheckOutcome = CheckResult | LookupFailure;

/** How long an answer may be reused for checks. */
const FRESH_SECONDS: Readonly<Record<LifecyclePhase, number>> = {
  available: 60,
  registered: 900,
  reserved: 3_600,
  hold: 900,
  expiring: 900,
  expired_grace: 900,
  redemption: 60,
  pending_restore: 60,
  pending_delete: 60,
};

/** The largest expected difference between the clocks of two processes. */
const CLOCK_SKEW_MS = SECOND;

interface LookupUnderWay {
  readonly startedAt: Date;
  readonly result: Promise<LookupResult>;
}

/** Answers a check from the account's earlier lookups if a fresh answer exists. Otherwise makes a new lookup. */
@Injectable()
export class CheckDomain {
  private readonly underWay = new Map<string, LookupUnderWay>();

  constructor(
    private readonly suffixes: PublicSuffixes,
    private readonly lookup: DomainLookup,
    private readonly lookups: LookupRepository,
    private readonly link: WatchlistLink,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** @throws InvalidDomainNameError if the input is no name that a supported registry could register */
  parse(input: string): DomainName {
    return DomainName.parse(input, this.suffixes);
  }

  /** @param maxAgeSeconds 0 demands an answer that is no older than this call, apart from clock skew */
  async check(name: DomainName, { maxAgeSeconds = Infinity, accountId }: CheckRequest): Promise<CheckOutcome> {
    const now = this.clock.now();
    const notBefore = maxAgeSeconds === Infinity ? new Date(0) : after(now, -maxAgeSeconds * SECOND);
    const known = maxAgeSeconds > 0 ? await this.lookups.findFresh(name, accountId, notBefore) : null;
    const result = known ?? (await this.joinOrStart(name, accountId, after(notBefore, -CLOCK_SKEW_MS)));
    return result.kind === 'failure' ? result : this.toResult(name, result);
  }

  /** Shares one lookup between simultaneous requests of an account in this process. */
  private joinOrStart(name: DomainName, accountId: string, notBefore: Date): Promise<LookupResult> {
    const key = `${accountId} ${name.ascii}`;
    const current = this.underWay.get(key);
    if (current && current.startedAt >= notBefore) return current.result;
    const started = { startedAt: this.clock.now(), result: this.lookUp(name, accountId) };
    this.underWay.set(key, started);
    const forget = () => {
      if (this.underWay.get(key) === started) this.underWay.delete(key);
    };
    started.result.then(forget, forget);
    return started.result;
  }

  /** Updates the watchlist before returning the answer, so that watchlist and answer agree. */
  private async lookUp(name: DomainName, accountId: string): Promise<LookupResult> {
    const result = await this.lookup.forCheck(name);
    const freshUntil = result.kind === 'observation' ? this.freshUntil(result) : result.observedAt;
    await this.lookups.saveCheck(name, accountId, result, freshUntil);
    await this.link.watchlist.recordCheck(name, result, accountId);
    return result;
  }

  /**
   * Returns until when checks may reuse the answer. In the sandbox this time is short (`recheckWithinMs`), because
   * names may change every few seconds.
   */
  private freshUntil({ facts, recheckWithinMs, observedAt }: Observation): Date {
    const { phase } = deriveLifecycle(facts, EXPIRING_WINDOW_DAYS, this.clock.now());
    return after(observedAt, Math.min(FRESH_SECONDS[phase] * this.units.second, recheckWithinMs ?? Infinity));
  }

  private toResult(name: DomainName, observation: Observation): CheckResult {
    const now = this.clock.now();
    const status = deriveCheckStatus(observation.facts, EXPIRING_WINDOW_DAYS, now);
    const lifecycle = deriveLifecycle(observation.facts, EXPIRING_WINDOW_DAYS, now);
    const ageSeconds = Math.floor(Math.max(0, now.getTime() - observation.observedAt.getTime()) / SECOND);
    return { kind: 'result', name, observation, status, lifecycle, ageSeconds };
  }
}
