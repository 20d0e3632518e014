import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock, SECOND } from '../../../kernel/clock.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../../domain/lookup/operator-budget.js';
import { DelegationChecker } from '../ports/delegation-checker.js';
import { applyDnsVeto } from '../../domain/lookup/dns-veto.js';
import { DomainName } from '../../domain/name/domain-name.js';
import { PublicSuffixes } from '../../domain/name/public-suffixes.js';
import {
  type CheckStatus,
  deriveCheckStatus,
  type Lifecycle,
  deriveLifecycle,
} from '../../domain/lifecycle/lifecycle.js';
import type { LookupResult, LookupFailure, Observation } from '../../domain/lookup/lookup-result.js';
import { RegistryLookup } from '../ports/registry-lookup.js';
import { type RegistrationFacts, areFactsEqual } from '../../domain/lifecycle/registration-facts.js';
import { AccountLookupCache, hideEarlierTimes } from './account-lookup-cache.js';
import { LookupSingleFlight, type Freshness } from './lookup-single-flight.js';
import { LookupCompletedListeners } from './lookup-completed-listeners.js';
import { LookupCache } from './lookup-cache.js';

/** All protocols and hops of one look together; milliseconds. */
export const LOOKUP_TIMEOUT_MS = 10 * SECOND;

/** What a person's check tells. */
export interface CheckResult {
  readonly kind: 'result';
  readonly name: DomainName;
  readonly observation: Observation;
  readonly status: CheckStatus;
  readonly lifecycle: Lifecycle;
  /** Whole seconds since the registry was asked. */
  readonly ageSeconds: number;
}

export interface CheckRequest {
  /** The oldest answer that will do, in seconds. */
  readonly maxAgeSeconds?: number;
  /** The account that asks: with ACCOUNT_ISOLATION it learns nothing from the looks of others. */
  readonly accountId?: string;
}

/** A result, or the reason why there is none: an error is never a status. */
export type CheckOutcome = CheckResult | LookupFailure;

/** Says what the registries hold about a name. */
@Injectable()
export class CheckDomain {
  constructor(
    private readonly config: Config,
    private readonly suffixes: PublicSuffixes,
    private readonly registryLookup: RegistryLookup,
    private readonly delegationChecker: DelegationChecker,
    private readonly cache: LookupCache,
    private readonly singleFlight: LookupSingleFlight,
    private readonly listeners: LookupCompletedListeners,
    private readonly clock: Clock,
    private readonly accountCache: AccountLookupCache,
  ) {}

  /** @throws InvalidDomainNameError unless it is a name that a registry known here could register. */
  parse(input: string): DomainName {
    return DomainName.parse(input, this.suffixes);
  }

  /**
   * Asks the registry itself, for a watch: whoever calls it records the outcome. Checks are answered from it as well,
   * those of other processes too where it tells anything new: a routine look is not worth a row of its own.
   * @param timeoutMs milliseconds, from its turn on
   * @param admission how long it may wait for its turn, and before whom
   * @param known the facts that were proven before, if any were
   */
  async lookUp(
    name: DomainName,
    timeoutMs = LOOKUP_TIMEOUT_MS,
    admission: AdmissionRequest = { priority: 'routine' },
    known: RegistrationFacts | null = null,
  ): Promise<LookupResult> {
    const result = await this.queryRegistry(name, timeoutMs, admission);
    this.updateCache(name, result);
    const isChange =
      result.kind === 'observation' ? !known || !areFactsEqual(known, result.facts) : result.dnsVetoed !== undefined;
    if (isChange && !this.isSimulated(name))
      void this.singleFlight.publish({ name, result, leaseId: null, freshUntil: this.freshUntil(result) });
    return result;
  }

  /**
   * Answers a person, from a recent proof if one is fresh enough, else live; a live look is told to the listeners first,
   * so that a watch on the name agrees with this answer. Everybody who asks while the registry is being asked gets that
   * answer, in every process.
   * @param maxAgeSeconds 0 takes no answer for which the registry was asked before this call, give or take the second
   *   by which the clocks of processes differ
   */
  async check(name: DomainName, { maxAgeSeconds = Infinity, accountId }: CheckRequest = {}): Promise<CheckOutcome> {
    const now = this.clock.now();
    const isFresh = (observation: Observation) => this.isFresh(observation, maxAgeSeconds, now);
    if (accountId !== undefined && this.config.accountIsolation)
      return this.checkForAccount(name, accountId, isFresh, now);
    const known = this.cache.get(name);
    if (known && isFresh(known)) return this.toResult(name, known);
    const result = await this.lookUpShared(name, {
      notBefore: earliestAcceptable(maxAgeSeconds, now),
      mustBeLive: maxAgeSeconds === 0,
      isFresh,
    });
    return result.kind === 'failure' ? result : this.toResult(name, result);
  }

  private async checkForAccount(name: DomainName, accountId: string, isFresh: Freshness['isFresh'], now: Date) {
    const known = await this.accountCache.findFresh(accountId, name, isFresh);
    if (known) return this.toResult(name, known);
    const run = () => this.queryRegistry(name, LOOKUP_TIMEOUT_MS, DEFAULT_ADMISSION);
    const lookup = { run, freshUntil: (result: LookupResult) => this.freshUntil(result) };
    const freshness = { notBefore: now, mustBeLive: true, isFresh };
    const result = this.isSimulated(name) ? await run() : await this.singleFlight.lookUp(name, freshness, lookup);
    await this.listeners.notify(name, result, accountId);
    const seen = hideEarlierTimes(result, now);
    this.accountCache.store(accountId, name, seen);
    return seen.kind === 'failure' ? seen : this.toResult(name, seen);
  }

  private async lookUpShared(name: DomainName, freshness: Freshness): Promise<LookupResult> {
    // What a simulation says is a function of the time; a kept answer would contradict the next one.
    if (this.isSimulated(name)) return this.lookUpAndNotify(name);
    const freshUntil = (result: LookupResult) => this.freshUntil(result);
    const result = await this.singleFlight.lookUp(name, freshness, {
      freshUntil,
      run: () => this.lookUpAndNotify(name),
    });
    this.updateCache(name, result);
    return result;
  }

  private async lookUpAndNotify(name: DomainName): Promise<LookupResult> {
    const result = await this.queryRegistry(name, LOOKUP_TIMEOUT_MS, DEFAULT_ADMISSION);
    await this.listeners.notify(name, result);
    return result;
  }

  private async queryRegistry(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<LookupResult> {
    let deadline = performance.now() + timeoutMs;
    const onAdmitted = () => (deadline = performance.now() + timeoutMs);
    const result = await this.registryLookup.lookUp(name, timeoutMs, { ...admission, onAdmitted });
    return this.withDnsVeto(name, result, deadline);
  }

  private updateCache(name: DomainName, result: LookupResult): void {
    if (result.kind === 'observation' && result.source !== 'sandbox') this.cache.store(name, result);
    else if (result.kind === 'failure' && result.dnsVetoed) this.cache.evict(name);
  }

  private isSimulated({ tld }: DomainName): boolean {
    return this.config.sandbox && tld === 'test';
  }

  /** Only an absence is put to DNS: that a registration is not delegated proves nothing. */
  private async withDnsVeto(name: DomainName, result: LookupResult, deadline: number): Promise<LookupResult> {
    if (result.kind === 'failure' || result.facts.outcome !== 'absent' || result.source === 'sandbox') return result;
    const delegation = await this.delegationChecker.check(name, deadline - performance.now());
    return delegation ? applyDnsVeto(result, delegation) : result;
  }

  private isFresh(observation: Observation, maxAgeSeconds: number, now: Date): boolean {
    const maxAgeMs = Math.min(this.freshnessMs(observation), maxAgeSeconds * SECOND);
    return maxAgeMs > 0 && now.getTime() - observation.observedAt.getTime() <= maxAgeMs;
  }

  private freshUntil(result: LookupResult): Date {
    return after(result.observedAt, result.kind === 'observation' ? this.freshnessMs(result) : 0);
  }

  private freshnessMs(observation: Observation): number {
    const { phase } = this.lifecycle(observation);
    return ((this.config.lookup.freshness[phase] ?? 0) * SECOND) / this.config.timeScale;
  }

  private toResult(name: DomainName, observation: Observation): CheckResult {
    const status = deriveCheckStatus(observation.facts, this.config.watch.expiringWindowDays, this.clock.now());
    const ageSeconds = Math.floor(this.ageMs(observation) / SECOND);
    return { kind: 'result', name, observation, status, lifecycle: this.lifecycle(observation), ageSeconds };
  }

  private lifecycle(observation: Observation): Lifecycle {
    return deriveLifecycle(observation.facts, this.config.watch.expiringWindowDays, this.clock.now());
  }

  private ageMs(observation: Observation): number {
    return Math.max(0, this.clock.now().getTime() - observation.observedAt.getTime());
  }
}

function earliestAcceptable(maxAgeSeconds: number, now: Date): Date {
  return maxAgeSeconds === Infinity ? new Date(0) : after(now, -maxAgeSeconds * SECOND);
}
