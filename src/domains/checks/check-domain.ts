import { Injectable } from '@nestjs/common';
import { WatchConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { type CheckStatus, deriveCheckStatus, deriveLifecycle, type Lifecycle } from '../domain/lifecycle/lifecycle.js';
import { doubtAbsence } from '../domain/lookup/availability.js';
import type { LookupFailure, LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import { DomainName, PublicSuffixes } from '../domain/name/domain-name.js';
import { RegistryTrust } from '../canaries/registry-trust.js';
import { AccountLookupCache, hideEarlierTimes, LookupCache, FreshnessPolicy } from '../lookup-cache/lookup-cache.js';
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
  readonly maxAgeSeconds?: number | undefined;
  /** This account learns nothing from the lookups of others, with ACCOUNT_ISOLATION. */
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
    private readonly cache: LookupCache,
    private readonly accountCache: AccountLookupCache,
    private readonly singleFlight: LookupSingleFlight,
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
    const isolatedFor = this.config.accountIsolation ? (accountId ?? null) : null;
    const criteria = this.freshness.criteria(maxAgeSeconds, now);
    const cached =
      isolatedFor === null ? this.cache.get(name) : await this.accountCache.find(isolatedFor, name, criteria);
    if (cached && criteria.isFresh(cached)) return this.toOutcome(name, cached);
    if (isolatedFor === null) {
      const result = await this.singleFlight.lookUp(name, criteria, null);
      this.cache.update(name, result);
      return this.toOutcome(name, result);
    }
    const live = { ...criteria, notBefore: now, mustBeLive: true };
    const visible = hideEarlierTimes(await this.singleFlight.lookUp(name, live, isolatedFor), now);
    this.cache.update(name, visible, isolatedFor);
    return this.toOutcome(name, visible);
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
