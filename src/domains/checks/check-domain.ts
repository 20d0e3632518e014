import { Injectable } from '@nestjs/common';
import { WatchConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { type CheckStatus, deriveCheckStatus, deriveLifecycle, type Lifecycle } from '../domain/lifecycle/lifecycle.js';
import { doubtAbsence } from '../domain/lookup/availability.js';
import type { LookupFailure, LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import { DomainName } from '../domain/name/domain-name.js';
import { PublicSuffixes } from '../domain/name/public-suffixes.js';
import { RegistryTrust } from '../canaries/registry-trust.js';
import { AccountLookupCache, hideEarlierTimes } from '../lookup-cache/account-lookup-cache.js';
import { DomainLookup } from './domain-lookup.js';
import { FreshnessPolicy } from '../lookup-cache/freshness-policy.js';
import { LookupCache } from '../lookup-cache/lookup-cache.js';
import { LookupCompletedListeners } from './lookup-completed-listeners.js';
import { LookupSingleFlight } from './lookup-single-flight.js';

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
  /** The oldest acceptable answer. */
  readonly maxAgeSeconds?: number;
  /** With ACCOUNT_ISOLATION this account learns nothing from the lookups of others. */
  readonly accountId?: string;
}

/** A result, or the reason why there is none: an error is never a status. */
export type CheckOutcome = CheckResult | LookupFailure;

/** Answers a user's check from the cache where that is fresh enough, else by a lookup. */
@Injectable()
export class CheckDomain {
  constructor(
    private readonly config: WatchConfig,
    private readonly suffixes: PublicSuffixes,
    private readonly lookup: DomainLookup,
    private readonly cache: LookupCache,
    private readonly accountCache: AccountLookupCache,
    private readonly singleFlight: LookupSingleFlight,
    private readonly listeners: LookupCompletedListeners,
    private readonly freshness: FreshnessPolicy,
    private readonly trust: RegistryTrust,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainNameError unless a supported registry could register the name */
  parse(input: string): DomainName {
    return DomainName.parse(input, this.suffixes);
  }

  /**
   * @param maxAgeSeconds 0 accepts no answer that the registry gave before this call, within the clock skew of one
   *   second between processes
   */
  async check(name: DomainName, { maxAgeSeconds = Infinity, accountId }: CheckRequest = {}): Promise<CheckOutcome> {
    const now = this.clock.now();
    if (accountId !== undefined && this.config.accountIsolation)
      return this.checkIsolated(name, accountId, maxAgeSeconds, now);
    const cached = this.cache.get(name);
    if (cached && this.freshness.isFresh(cached, maxAgeSeconds, now)) return this.toOutcome(name, cached);
    const lookUp = () => this.lookUpAndNotify(name);
    const criteria = this.freshness.criteria(maxAgeSeconds, now);
    const result = await this.singleFlight.lookUp(name, criteria, lookUp);
    this.cache.update(name, result);
    return this.toOutcome(name, result);
  }

  /** Every account that waits for the same lookup is notified for itself. */
  private async checkIsolated(
    name: DomainName,
    accountId: string,
    maxAgeSeconds: number,
    now: Date,
  ): Promise<CheckOutcome> {
    const { isFresh } = this.freshness.criteria(maxAgeSeconds, now);
    const cached = await this.accountCache.findFresh(accountId, name, isFresh);
    if (cached) return this.toOutcome(name, cached);
    const lookUp = () => this.lookUp(name);
    const result = await this.singleFlight.lookUp(name, { notBefore: now, mustBeLive: true, isFresh }, lookUp);
    await this.listeners.notify(name, result, accountId);
    const visible = hideEarlierTimes(result, now);
    this.cache.update(name, visible, accountId);
    return this.toOutcome(name, visible);
  }

  /** The listeners come before the answer, so that a watch on the name agrees with it. */
  private async lookUpAndNotify(name: DomainName): Promise<LookupResult> {
    const result = await this.lookUp(name);
    await this.listeners.notify(name, result);
    return result;
  }

  private lookUp(name: DomainName): Promise<LookupResult> {
    return this.lookup.runForCheck(name, () => this.trust.wasDelegated(name));
  }

  /** A registry may have lost its records since it gave an answer: the doubt counts when the answer is passed on. */
  private async toOutcome(name: DomainName, result: LookupResult): Promise<CheckOutcome> {
    if (result.kind === 'failure') return result;
    const isAvailable = result.facts.outcome === 'absent' && result.source !== 'sandbox';
    const doubt = isAvailable ? await this.trust.findDoubt(name) : null;
    return doubt ? doubtAbsence(result, doubt) : this.toResult(name, result);
  }

  private toResult(name: DomainName, observation: Observation): CheckResult {
    const now = this.clock.now();
    const { expiringWindowDays } = this.config;
    const status = deriveCheckStatus(observation.facts, expiringWindowDays, now);
    const lifecycle = deriveLifecycle(observation.facts, expiringWindowDays, now);
    const ageSeconds = Math.floor(Math.max(0, now.getTime() - observation.observedAt.getTime()) / SECOND);
    return { kind: 'result', name, observation, status, lifecycle, ageSeconds };
  }
}
