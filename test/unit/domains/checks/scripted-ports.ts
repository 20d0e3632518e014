import { readConfig } from '../../../../src/config/config.js';
import type { CanaryMemories, CanaryPlace } from '../../../../src/domains/canaries/canary-memory.repository.js';
import { CanaryWitness } from '../../../../src/domains/canaries/canary-witness.js';
import { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import { type ZoneAnswer, ZoneWitness } from '../../../../src/domains/dns/authoritative-zone-witness.js';
import { type CanaryMemory, NO_CANARY_MEMORY } from '../../../../src/domains/domain/lookup/canary.js';
import {
  type EvidenceSource,
  failedLookup,
  type LookupResult,
  type Observation,
} from '../../../../src/domains/domain/lookup/lookup-result.js';
import {
  type FirstAnswer,
  RegistryLookup,
  type SourceQuestion,
  type TimedLookupResult,
} from '../../../../src/domains/domain/lookup/registry-lookup.js';
import { found, type RegistrationFacts } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { type DomainName, PublicSuffixes } from '../../../../src/domains/domain/name/domain-name.js';
import { LookupRepository, type NameMemory } from '../../../../src/domains/lookups/lookups.repository.js';
import { type Watchlist, WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import type { Clock } from '../../../../src/kernel/clock.js';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { observation } from '../../../support/builders/observations.js';

interface Ports {
  readonly registry: RegistryLookup;
  readonly clock: Clock;
  readonly zones?: ZoneWitness;
  readonly canaries?: InMemoryCanaries;
  readonly link?: WatchlistLink;
  readonly lookups?: InMemoryLookups;
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
  /** The canaries that it was asked about. */
  canaries: string[] = [];
  /** The answer when it is asked again; by default the same. */
  secondAnswer: ((name: DomainName) => LookupResult) | null = null;
  /** The answer about canaries; by default it finds them. */
  canaryAnswer: (domain: string) => RegistrationFacts | LookupResult = () => found({ statuses: ['active'] });
  /** Canaries are sent and answered once it opens. */
  canaryGate: Promise<unknown> = Promise.resolve();
  facts: RegistrationFacts | null = found({ statuses: ['active'] });
  source: Observation['source'] = 'rdap';
  recheckWithinMs: number | null = null;
  /** The sandbox's answer for all witnesses. */
  testimony: Observation['testimony'] | null = null;
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
    const { facts, source, recheckWithinMs, testimony, isPrivateZone } = this;
    const said = { ...(testimony && { testimony }), ...(isPrivateZone && { isPrivateZone }) };
    const observedAt = this.clock.now();
    await this.answerGate;
    const result = facts
      ? observation(facts, observedAt, { source, recheckWithinMs, ...said })
      : failedLookup('registry_timeout', 'rdap.example', observedAt);
    return { result, remainingMs: deadline - performance.now() };
  }

  lookUpAgain(name: DomainName, first: FirstAnswer, timeoutMs: number): Promise<LookupResult> {
    this.repeats.push({ name: name.ascii, timeoutMs, first });
    return Promise.resolve(this.secondAnswer?.(name) ?? first.absence);
  }

  async askAbout({ ascii }: DomainName, source: EvidenceSource, { onSent }: SourceQuestion): Promise<LookupResult> {
    await this.canaryGate;
    onSent();
    this.canaries.push(ascii);
    const answer = this.canaryAnswer(ascii);
    return 'kind' in answer ? answer : observation(answer, this.clock.now(), { source });
  }
}

/** Says the same of every name; null: DNS checks are turned off. */
export class ScriptedZones extends ZoneWitness {
  calls: { name: string; timeoutMs: number }[] = [];
  says: ZoneAnswer['says'] | null = null;
  /** Names that it has, whatever it says of others. */
  readonly holds = new Set<string>();
  ranOutOfTime = false;

  constructor(private readonly clock: Clock) {
    super();
  }

  ask({ ascii }: DomainName, timeoutMs: number): Promise<ZoneAnswer | null> {
    this.calls.push({ name: ascii, timeoutMs });
    const says = this.holds.has(ascii) ? 'has_it' : this.says;
    if (says === null) return Promise.resolve(null);
    const said = { source: 'dns', server: 'ns.example', outcome: 'inconclusive', rule: 'dns.script' } as const;
    const evidence = { ...said, httpStatus: null, observedAt: this.clock.now(), excerpt: '' };
    return Promise.resolve({ says, evidence, ranOutOfTime: this.ranOutOfTime });
  }

  read() {
    return Promise.resolve(null);
  }
}

/** The canaries of one process, in memory. */
export class InMemoryCanaries implements CanaryMemories {
  readonly memories = new Map<string, CanaryMemory>();

  recall({ source, zone }: CanaryPlace): Promise<CanaryMemory> {
    return Promise.resolve(this.memories.get(`${source} ${zone}`) ?? NO_CANARY_MEMORY);
  }

  save({ source, zone }: CanaryPlace, memory: CanaryMemory): Promise<void> {
    this.memories.set(`${source} ${zone}`, memory);
    return Promise.resolve();
  }
}

/** The table of lookups, in memory. */
export class InMemoryLookups extends LookupRepository {
  private readonly rows = new Map<string, { readonly observation: Observation; readonly freshUntil: Date }>();
  private readonly changes = new Map<string, LookupResult>();
  readonly inZone = new Set<string>();

  constructor(private readonly now: Clock) {
    super(undefined as never, now);
  }

  override findFresh({ ascii }: DomainName, accountId: string, notBefore: Date): Promise<Observation | null> {
    const row = this.rows.get(`${accountId} ${ascii}`);
    if (!row || row.freshUntil < this.now.now() || row.observation.observedAt < notBefore) return Promise.resolve(null);
    const isOvertaken = this.resultsOf(ascii).some(
      (other) => other.observedAt > row.observation.observedAt && factsOf(other) !== factsOf(row.observation),
    );
    const isFromFuture = row.observation.observedAt.getTime() > this.now.now().getTime() + 1_000;
    return Promise.resolve(isOvertaken || isFromFuture ? null : row.observation);
  }

  override recall({ ascii }: DomainName): Promise<NameMemory> {
    const wasFound = this.resultsOf(ascii).some((one) => one.kind === 'observation' && one.facts.outcome !== 'absent');
    return Promise.resolve({ zoneHadIt: this.inZone.has(ascii), wasFound });
  }

  override saveCheck({ ascii }: DomainName, accountId: string, result: LookupResult, freshUntil: Date): Promise<void> {
    if (result.kind === 'observation') this.rows.set(`${accountId} ${ascii}`, { observation: result, freshUntil });
    else if (result.doubt) this.changes.set(ascii, result);
    return Promise.resolve();
  }

  override saveChange({ ascii }: DomainName, result: LookupResult): Promise<void> {
    this.changes.set(ascii, result);
    return Promise.resolve();
  }

  private resultsOf(domain: string): LookupResult[] {
    const own = [...this.rows].filter(([key]) => key.endsWith(` ${domain}`)).map(([, { observation: one }]) => one);
    const change = this.changes.get(domain);
    return change ? [...own, change] : own;
  }
}

function factsOf(result: LookupResult): string | null {
  return result.kind === 'observation' ? JSON.stringify(result.facts) : null;
}

/** A watchlist that says nothing else than this. */
export function linkTo(watchlist: Partial<Watchlist>): WatchlistLink {
  const link = new WatchlistLink();
  link.connect({ ...link.watchlist, ...watchlist });
  return link;
}

/** The use cases of checks on these ports. */
export function buildChecks({ registry, zones, clock, link = new WatchlistLink(), settings, ...stores }: Ports) {
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off', ...settings });
  const units = TimeUnits.fromScale(config.timeScale);
  const { canaries = new InMemoryCanaries(), lookups = new InMemoryLookups(clock) } = stores;
  const zone = zones ?? new ScriptedZones(clock);
  const witness = new CanaryWitness(canaries, registry, zone, clock, units);
  const lookup = new DomainLookup(registry, zone, witness, lookups, clock);
  const checks = new CheckDomain(new EverySuffixRegistrable(), lookup, lookups, link, clock, units);
  return { checks, lookup, lookups, canaries };
}

/** The first look of a watch, or the look that confirms a drop. */
export function watching(absentSince: Date | null = null, timeoutMs = 10_000) {
  return { timeoutMs, admission: { priority: 'routine' }, absentSince } as const;
}
