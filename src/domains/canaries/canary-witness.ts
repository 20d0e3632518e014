import { Inject, Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import { TimeUnits } from '../../kernel/time-units.js';
import {
  type Evidence,
  failedLookup,
  type LookupFailure,
  type Observation,
  type Testimony,
} from '../domain/lookup/lookup-result.js';
import type { AdmissionRequest } from '../domain/operators.js';
import {
  canaryNames,
  foundBy,
  isLastingRecord,
  MAX_KNOWN,
  MAX_MISSING,
  ownNameAsCanary,
  rememberedCanary,
  rememberFound,
  withoutCanary,
} from '../domain/lookup/canary.js';
import { RegistryLookup } from '../domain/lookup/registry-lookup.js';
import { DomainName } from '../domain/name/domain-name.js';
import { parentZone } from '../dns/parent-name-servers.js';
import { ZoneWitness } from '../dns/authoritative-zone-witness.js';
import { type CanaryMemories, CanaryMemoryRepository, type CanaryPlace } from './canary-memory.repository.js';

/** The question whether a source still finds names that must exist (canaries). The source had no record of `name`. */
export interface CanaryQuestion {
  readonly name: DomainName;
  readonly absence: Observation;
  /** When the source had no record of the name. A canary that was found earlier proves less about this answer. */
  readonly since: Date;
  /** Whether the answer to a canary query that began before `since` is enough. */
  readonly mayBeEarlier: boolean;
  readonly timeoutMs: number;
  readonly admission: AdmissionRequest;
}

export interface CanaryAnswer {
  readonly canary: Testimony['canary'];
  readonly evidence: readonly Evidence[];
}

export interface RecalledCanary extends CanaryAnswer {
  /** Whether the queried name itself serves as a canary for other names. */
  readonly isCanary: boolean;
}

type Outcome = { readonly kind: 'found' | 'missing' | 'unproven'; readonly domain: string | null; readonly at: Date };

interface Note {
  readonly at: Date | null;
  readonly domains: readonly string[];
}

/** A canary query that is under way. Lookups share the query instead of sending their own. */
interface Probe {
  readonly startedAt: Date;
  isSent: boolean;
  readonly outcome: Promise<Outcome | LookupFailure>;
}

/** Further finds in a zone are stored only so often, once enough names are known. Each takes two statements. */
const NOTED_EVERY_MS = 30 * SECOND;
const LOOKUP_TIMEOUT_MS = 10 * SECOND;
/** How long a lookup waits until its canary query is sent. */
const WAIT_MS = 3 * SECOND;
/** How long a canary query may wait to be sent. A late answer still serves the next lookup. */
const MAX_WAIT_MS = 90 * SECOND;

/** Says whether a source still finds names that must exist (canaries). Only `ask` sends a query. */
@Injectable()
export class CanaryWitness {
  /** The names that this process last noted as found, by source and zone. */
  private readonly notes = new Map<string, Note>();
  private readonly underWay = new Map<string, Probe>();

  constructor(
    @Inject(CanaryMemoryRepository) private readonly memories: CanaryMemories,
    private readonly registry: RegistryLookup,
    private readonly zones: ZoneWitness,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** Notes that a source found the name, which shows that the source works in the zone. */
  async noteFound(name: DomainName, record: Observation): Promise<void> {
    const { source, facts, observedAt } = record;
    if (source === 'sandbox') return;
    const place = placeOf(name, record);
    const isLasting = isLastingRecord(facts, observedAt);
    const { at, domains } = this.notes.get(keyOf(place)) ?? { at: null, domains: [] };
    const sinceMs = at ? observedAt.getTime() - at.getTime() : Infinity;
    const isKnown = !isLasting || domains.length >= MAX_KNOWN || domains.includes(name.ascii);
    if (isKnown && sinceMs >= 0 && sinceMs < NOTED_EVERY_MS) return;
    const known = isLasting ? [name.ascii, ...domains].slice(0, MAX_KNOWN) : domains;
    this.notes.set(keyOf(place), { at: observedAt, domains: known });
    const memory = await this.memories.recall(place);
    await this.memories.save(place, rememberFound(memory, name.ascii, observedAt, { isLasting }));
  }

  /** Forgets a deleted name as a canary (a name that must exist). Otherwise a later lookup would doubt the registry. */
  async forget(name: DomainName, absence: Observation): Promise<void> {
    const place = placeOf(name, absence);
    await this.memories.save(place, withoutCanary(await this.memories.recall(place), name.ascii));
  }

  /** Returns what stored results say about the canary (a name that must exist), without a query to the registry. */
  async recall({ name, absence, since }: Pick<CanaryQuestion, 'name' | 'absence' | 'since'>): Promise<RecalledCanary> {
    const memory = await this.memories.recall(placeOf(name, absence));
    const isCanary = memory.known.some(({ domain }) => domain === name.ascii);
    const remembered = rememberedCanary(memory, since, this.clock.now(), this.units);
    if (!remembered) return { canary: null, evidence: [], isCanary };
    const { canary, at } = remembered;
    const outcome = { kind: canary === 'missing' ? 'missing' : 'found', domain: null, at } as const;
    return { ...toAnswer(absence, canary, outcome), isCanary };
  }

  /** Asks the source about a name that must exist. An answer after the timeout still serves the next lookup. */
  async ask(question: CanaryQuestion): Promise<CanaryAnswer | LookupFailure> {
    const { absence, since, timeoutMs } = question;
    const startedAt = performance.now();
    const probe = this.joinOrStart(question);
    const waitFor = (ms: number) => withTimeout<Outcome | LookupFailure | null>(ms, probe.outcome, () => null);
    let outcome = await waitFor(Math.min(timeoutMs, WAIT_MS));
    if (!outcome && probe.isSent) outcome = await waitFor(Math.max(timeoutMs - (performance.now() - startedAt), 1));
    if (!outcome) return this.toTooLate(absence, probe.isSent);
    if (outcome.kind === 'failure') return outcome;
    if (outcome.kind !== 'found') return toAnswer(absence, outcome.kind, outcome);
    return toAnswer(absence, foundBy(outcome.at, since), outcome);
  }

  private joinOrStart(question: CanaryQuestion): Probe {
    const key = keyOf(placeOf(question.name, question.absence));
    const current = this.underWay.get(key);
    if (current && (question.mayBeEarlier || current.startedAt >= question.since)) return current;
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | LookupFailure>();
    const probe: Probe = { startedAt: this.clock.now(), isSent: false, outcome: promise };
    this.underWay.set(key, probe);
    promise.catch(() => undefined); // if no caller waits any more, an error must not crash the process
    void this.run(question, probe)
      .then(resolve, reject)
      .finally(() => {
        if (this.underWay.get(key) === probe) this.underWay.delete(key);
      });
    return probe;
  }

  private async run({ name, absence, admission }: CanaryQuestion, probe: Probe): Promise<Outcome | LookupFailure> {
    const place = placeOf(name, absence);
    const memory = await this.memories.recall(place);
    const known = canaryNames(memory, name.ascii, this.clock.now());
    const missing: string[] = [];
    for await (const canary of this.candidates(name, absence, known)) {
      const domain = canary.ascii;
      const result = await this.registry.askAbout(canary, absence.source, {
        timeoutMs: LOOKUP_TIMEOUT_MS,
        admission: { priority: admission.priority === 'drop_window' ? 'drop_window' : 'check', maxWaitMs: MAX_WAIT_MS },
        onSent: () => (probe.isSent = true),
      });
      if (result.kind === 'failure') return result;
      if (result.facts.outcome === 'absent') missing.push(domain);
      else {
        const isLasting = parentZone(canary) === place.zone && isLastingRecord(result.facts, result.observedAt);
        await this.memories.save(place, rememberFound(memory, domain, result.observedAt, { isLasting, missing }));
        return { kind: 'found', domain, at: result.observedAt };
      }
      if (missing.length === MAX_MISSING) break;
    }
    const [domain] = missing;
    if (domain === undefined) return { kind: 'unproven', domain: null, at: this.clock.now() };
    const missingAt = this.clock.now();
    await this.memories.save(place, { ...memory, missingAt, domain });
    return { kind: 'missing', domain, at: missingAt };
  }

  /** Yields names that the source found before, then `nic.<tld>` if the zone has that name. */
  private async *candidates(
    name: DomainName,
    { isPrivateZone }: Observation,
    known: readonly string[],
  ): AsyncGenerator<DomainName, void, void> {
    yield* known.map((domain) => DomainName.restore(domain));
    if (isPrivateZone) return; // public DNS servers know nothing of a private zone
    const own = ownNameAsCanary(name, known, { isOfItsZone: parentZone(name) === name.registry });
    if (own && (await this.zones.ask(own, WAIT_MS))?.says === 'has_it') yield own;
  }

  private toTooLate({ evidence, source }: Observation, isSent: boolean): LookupFailure {
    const server = evidence.findLast((each) => each.source === source)?.server ?? source;
    const code = isSent ? 'registry_timeout' : 'registry_throttled';
    const failure = failedLookup(code, server, this.clock.now());
    return isSent ? failure : { ...failure, notSent: 'budget' };
  }
}

function placeOf(name: DomainName, { source }: Observation): CanaryPlace {
  return { source, zone: parentZone(name) };
}

function keyOf({ source, zone }: CanaryPlace): string {
  return `${source} ${zone}`;
}

const SAID = {
  found: { outcome: 'found', excerpt: 'has a record of another name that exists' },
  missing: { outcome: 'absent', excerpt: 'has no record either of names that exist' },
  unproven: { outcome: 'inconclusive', excerpt: 'no name is known that must exist' },
} as const;

/** The evidence shows no canary except `nic.<tld>`, because other canaries would reveal lookups of other accounts. */
function toAnswer(
  { source, evidence }: Observation,
  canary: CanaryAnswer['canary'],
  { kind, domain, at }: Outcome,
): CanaryAnswer {
  const server = evidence.findLast((each) => each.source === source)?.server ?? source;
  const { outcome, excerpt } = SAID[kind];
  const named = domain?.startsWith('nic.') ? `${excerpt}: ${domain}` : excerpt;
  const said = { source, server, outcome, rule: `canary.${kind}`, httpStatus: null, observedAt: at, excerpt: named };
  return { canary, evidence: [said] };
}
