import { readConfig } from '../../../../src/config/config.js';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { RegistryTrust } from '../../../../src/domains/canaries/registry-trust.js';
import { AccountLookupCache, LookupCache, FreshnessPolicy } from '../../../../src/domains/lookup-cache/lookup-cache.js';
import { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import { LookupSingleFlight } from '../../../../src/domains/checks/lookup-single-flight.js';
import { RefreshDomain } from '../../../../src/domains/checks/refresh-domain.js';
import type { LookupCoordinator } from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import { DelegationChecker } from '../../../../src/domains/dns/parent-zone.js';
import type { DelegationResult } from '../../../../src/domains/domain/lookup/availability.js';
import { type DomainName, PublicSuffixes } from '../../../../src/domains/domain/name/domain-name.js';
import {
  type AbsenceDoubt,
  type Delegation,
  failedLookup,
  type LookupResult,
  type Observation,
} from '../../../../src/domains/domain/lookup/lookup-result.js';
import {
  type FirstAnswer,
  RegistryLookup,
  type TimedLookupResult,
} from '../../../../src/domains/domain/lookup/registry-lookup.js';
import { found, type RegistrationFacts } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { type Watchlist, WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import { LocalLookupCoordinator } from '../lookup-cache/local-lookup-coordinator.js';
import { observation } from '../../../support/builders/observations.js';
import type { Clock } from '../../../../src/kernel/clock.js';

interface Ports {
  readonly registry: RegistryLookup;
  readonly clock: Clock;
  readonly dns?: DelegationChecker;
  readonly link?: WatchlistLink;
  readonly trust?: ScriptedTrust;
  readonly coordinator?: LookupCoordinator;
  readonly settings?: Record<string, string>;
}

export class EverySuffixRegistrable extends PublicSuffixes {
  classify() {
    return { kind: 'registrable' } as const;
  }
}

/** Answers with its current facts, or a failure if there are none, once the gates open. */
export class ScriptedRegistryLookup extends RegistryLookup {
  calls: { name: string; timeoutMs: number }[] = [];
  /** Has a call for each name that it was asked about again. */
  repeats: { name: string; timeoutMs: number; first: FirstAnswer }[] = [];
  /** What it says when it is asked again; by default the same. */
  secondAnswer: ((name: DomainName) => LookupResult) | null = null;
  facts: RegistrationFacts | null = found({ statuses: ['active'] });
  source: Observation['source'] = 'rdap';
  recheckWithinMs: number | null = null;
  /** What the sandbox says of DNS. */
  delegation: Observation['delegation'] | null = null;
  isPrivateZone = false;
  answerGate: Promise<void> = Promise.resolve();
  admissionGate: () => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly clock: Clock) {
    super();
  }

  async lookUp({ ascii }: DomainName, timeoutMs: number): Promise<TimedLookupResult> {
    this.calls.push({ name: ascii, timeoutMs });
    await this.admissionGate();
    const deadline = performance.now() + timeoutMs;
    const { facts, source, recheckWithinMs, delegation, isPrivateZone } = this;
    const ofDns = { ...(delegation && { delegation }), ...(isPrivateZone && { isPrivateZone }) };
    const observedAt = this.clock.now();
    await this.answerGate;
    const result = facts
      ? observation(facts, observedAt, { source, recheckWithinMs, ...ofDns })
      : failedLookup('registry_timeout', 'rdap.example', observedAt);
    return { result, remainingMs: deadline - performance.now() };
  }

  lookUpAgain(name: DomainName, first: FirstAnswer, timeoutMs: number): Promise<LookupResult> {
    this.repeats.push({ name: name.ascii, timeoutMs, first });
    return Promise.resolve(this.secondAnswer?.(name) ?? first.absence);
  }
}

/** Believes every registry, until it has a doubt. */
export class ScriptedTrust extends RegistryTrust {
  doubt: AbsenceDoubt | null = null;
  /** Names that DNS delegated when it was last heard. */
  readonly delegated = new Set<string>();

  constructor() {
    super(
      ...([undefined, undefined, undefined, undefined, undefined] as never as ConstructorParameters<
        typeof RegistryTrust
      >),
    );
  }

  override findDoubt() {
    return Promise.resolve(this.doubt);
  }

  override wasDelegated({ ascii }: DomainName) {
    return Promise.resolve(this.delegated.has(ascii));
  }
}

/** Reports its delegation for every name; null: DNS checks are turned off. */
export class ScriptedDelegationChecker extends DelegationChecker {
  calls: { name: string; timeoutMs: number }[] = [];
  delegation: Delegation | null = null;
  ranOutOfTime = false;

  constructor(private readonly clock: Clock) {
    super();
  }

  async check({ ascii }: DomainName, timeoutMs: number): Promise<DelegationResult | null> {
    this.calls.push({ name: ascii, timeoutMs });
    if (this.delegation === null) return null;
    const said = { source: 'dns', server: 'ns.example', outcome: 'inconclusive', rule: 'dns.script' } as const;
    const evidence = { ...said, httpStatus: null, observedAt: this.clock.now(), excerpt: '' };
    return { delegation: this.delegation, evidence, ranOutOfTime: this.ranOutOfTime };
  }

  read() {
    return Promise.resolve(null);
  }
}

/** A watchlist that says nothing else than this. */
export function linkTo(watchlist: Partial<Watchlist>): WatchlistLink {
  const link = new WatchlistLink();
  link.connect({ ...link.watchlist, ...watchlist });
  return link;
}

/** The use cases of checks on these ports. */
export function buildChecks({ registry, dns, clock, link = new WatchlistLink(), trust, coordinator, settings }: Ports) {
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off', ...settings });
  const cache = new LookupCache();
  const believed = trust ?? new ScriptedTrust();
  const lookup = new DomainLookup(registry, dns ?? new ScriptedDelegationChecker(clock), believed);
  const freshness = new FreshnessPolicy(config, clock, TimeUnits.fromScale(config.timeScale));
  const shared = coordinator ?? new LocalLookupCoordinator();
  const singleFlight = new LookupSingleFlight(lookup, shared, freshness, link, clock);
  const checks = new CheckDomain(
    config,
    new EverySuffixRegistrable(),
    cache,
    new AccountLookupCache(cache, link),
    singleFlight,
    freshness,
    believed,
    clock,
  );
  return { checks, refresh: new RefreshDomain(lookup, cache, singleFlight) };
}
