import { Inject, Injectable } from '@nestjs/common';
import { after, Clock, earliest, SECOND } from '../../kernel/clock.js';
import { type Span, SpanKind } from '@opentelemetry/api';
import { failSpan, inSpan } from '../../platform/tracing/spans.js';
import { CanaryWitness } from '../canaries/canary-witness.js';
import { parentZone } from '../dns/parent-name-servers.js';
import { ZoneWitness } from '../dns/authoritative-zone-witness.js';
import { doubtAbsence, judgeAbsence, type Purpose, type Witness } from '../domain/lookup/absence.js';
import { endsCanary } from '../domain/lookup/canary.js';
import { areFactsEqual, type RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import {
  type Evidence,
  failedLookup,
  type LookupFailure,
  type LookupResult,
  type Observation,
  type Testimony,
} from '../domain/lookup/lookup-result.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../domain/operators.js';
import { RegistryLookup } from '../domain/lookup/registry-lookup.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { type LookupMemories, LookupRepository } from '../lookups/lookups.repository.js';

/** The time limit of a whole lookup, including redirects and the queries that confirm a missing record. */
export const LOOKUP_TIMEOUT_MS = 10 * SECOND;

export interface WatchRequest {
  /** The time limit of the lookup. The time starts when the rate limiter admits the lookup. */
  readonly timeoutMs: number;
  readonly admission: AdmissionRequest;
  /** When the watch sent the first query that found no record. null: the watch is not confirming a deletion. */
  readonly absentSince: Date | null;
}

/** The answer of a witness: DNS, a second query, or a query about a name that must exist (a canary). */
interface Heard {
  readonly kind: 'heard';
  readonly testimony: Partial<Testimony>;
  readonly evidence: readonly Evidence[];
  /** Replaces `Case.absence` if the second query says that the name is `premium`. */
  readonly absence?: Observation;
  readonly inZoneAt?: Date;
}

/** A missing record (absence) that further queries (witnesses) have to confirm. */
interface Case {
  readonly name: DomainName;
  readonly absence: Observation;
  /** When the registry answered. Like `endsAt`, this is a time of `performance.now()`. */
  readonly answeredAt: number;
  readonly endsAt: number;
  readonly admission: AdmissionRequest;
  /** When the record was first missing. A canary (a name that must exist) that was found earlier proves less. */
  readonly since: Date;
}

/**
 * Asks the registry about a name. To confirm "no record", also asks witnesses: DNS, and the registry again or about
 * other names.
 */
@Injectable()
export class DomainLookup {
  constructor(
    private readonly registry: RegistryLookup,
    private readonly zones: ZoneWitness,
    private readonly canaries: CanaryWitness,
    @Inject(LookupRepository) private readonly memories: LookupMemories,
    private readonly clock: Clock,
  ) {}

  forCheck(name: DomainName): Promise<LookupResult> {
    const request = { timeoutMs: LOOKUP_TIMEOUT_MS, admission: DEFAULT_ADMISSION, absentSince: null };
    return this.traced(name, 'check', request);
  }

  /**
   * Looks up a watched name. Saves a changed or doubted result, so that no check answers from older results.
   * @param known the last confirmed facts
   */
  async forWatch(
    name: DomainName,
    request: WatchRequest,
    known: RegistrationFacts | null = null,
  ): Promise<LookupResult> {
    const result = await this.traced(name, 'watch', request);
    const hasChanged =
      result.kind === 'observation' ? !known || !areFactsEqual(known, result.facts) : result.doubt !== undefined;
    if (hasChanged) await this.memories.saveChange(name, result);
    return result;
  }

  private traced(name: DomainName, purpose: Purpose, request: WatchRequest): Promise<LookupResult> {
    const attributes = { 'namewatch.domain': name.ascii, 'namewatch.priority': request.admission.priority };
    return inSpan('lookup', { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const result = await this.lookUp(name, purpose, request);
      describeResult(span, result);
      return result;
    });
  }

  private async lookUp(name: DomainName, purpose: Purpose, request: WatchRequest): Promise<LookupResult> {
    const { admission, absentSince } = request;
    const { result, remainingMs } = await this.registry.lookUp(name, request.timeoutMs, admission);
    if (result.kind === 'failure') return result;
    if (result.facts.outcome !== 'absent') {
      await this.canaries.noteFound(name, result);
      return result;
    }
    if (result.testimony) return result; // the sandbox answers for all witnesses
    const answeredAt = performance.now();
    // `absentSince` is when the watch asked. The registry's "no record" followed within `timeoutMs`.
    const firstAnsweredBy = absentSince && after(absentSince, request.timeoutMs);
    const since = earliest(firstAnsweredBy, this.clock.now()) ?? result.observedAt;
    const times = { answeredAt, endsAt: answeredAt + remainingMs, since };
    return this.gather({ name, absence: result, admission, ...times }, purpose, absentSince !== null);
  }

  /** Asks the witnesses that `judgeAbsence` needs, all at the same time, and again until the verdict is final. */
  private async gather(start: Case, purpose: Purpose, isChange: boolean): Promise<LookupResult> {
    const [memory, canary] = await Promise.all([this.memories.recall(start.name), this.canaries.recall(start)]);
    let { absence } = start;
    let testimony: Testimony = {
      zone: null,
      zoneHadIt: memory.zoneHadIt,
      canary: canary.canary,
      secondAnswer: null,
      isChange: isChange || (purpose === 'check' && memory.wasFound),
      hasLasted: false,
    };
    const evidence = new Map<string, readonly Evidence[]>([
      ['registry', absence.evidence],
      ['canary', canary.evidence],
    ]);
    const saidByAll = () => EVIDENCE_ORDER.flatMap((witness) => evidence.get(witness) ?? []);
    let inZoneAt: Date | undefined;
    for (;;) {
      const verdict = judgeAbsence(testimony, purpose);
      if (verdict.kind === 'doubted') {
        const failure = doubtAbsence(absence, verdict.doubt, saidByAll());
        return inZoneAt ? { ...failure, inZoneAt } : failure;
      }
      const missing = verdict.kind === 'open' ? verdict.missing.filter((witness) => witness !== 'time') : [];
      if (missing.length === 0) {
        if (canary.isCanary && endsCanary(testimony, purpose)) await this.canaries.forget(start.name, absence);
        return { ...absence, evidence: saidByAll(), testimony };
      }
      const heard = await Promise.all(
        missing.map(async (witness) => [witness, await this.ask(witness, start, testimony)] as const),
      );
      for (const [witness, said] of heard) evidence.set(witness, said.evidence);
      for (const [, said] of heard) {
        if (said.kind === 'failure') return { ...said, evidence: saidByAll() };
        testimony = { ...testimony, ...said.testimony };
        absence = said.absence ?? absence;
        inZoneAt = said.inZoneAt ?? inZoneAt;
      }
    }
  }

  private ask(witness: Witness, asked: Case, heard: Testimony): Promise<Heard | LookupFailure> {
    const timeoutMs = Math.max(asked.endsAt - performance.now(), 1);
    switch (witness) {
      case 'zone':
        return this.askZone(asked.name, asked.absence, timeoutMs);
      case 'canary':
        return this.askCanary(asked, heard, timeoutMs);
      case 'second_answer':
        return this.askAgain(asked, timeoutMs);
    }
  }

  private async askZone(name: DomainName, absence: Observation, timeoutMs: number): Promise<Heard | LookupFailure> {
    if (absence.isPrivateZone) {
      const excerpt = `not asked: the source ${absence.source} says that its zone is private`;
      return {
        kind: 'heard',
        testimony: { zone: 'private' },
        evidence: [this.notAsked(name, 'private_zone', excerpt)],
      };
    }
    const answer = await this.zones.ask(name, timeoutMs);
    if (!answer)
      return { kind: 'heard', testimony: { zone: 'off' }, evidence: [this.notAsked(name, 'off', 'not asked')] };
    const { says: zone, evidence, ranOutOfTime } = answer;
    if (ranOutOfTime) {
      const registry = absence.evidence.at(-1)?.server ?? evidence.server;
      return failedLookup('registry_timeout', registry, absence.observedAt, [evidence]);
    }
    const isThere = zone === 'has_it' && { inZoneAt: evidence.observedAt };
    return { kind: 'heard', testimony: { zone }, evidence: [evidence], ...isThere };
  }

  private async askCanary(
    asked: Case,
    { zone, isChange }: Testimony,
    timeoutMs: number,
  ): Promise<Heard | LookupFailure> {
    // If DNS has not answered yet (null), it will probably deny the name. Then an earlier canary answer is enough.
    const mayBeEarlier = zone === null && !isChange;
    const answer = await this.canaries.ask({ ...asked, mayBeEarlier, timeoutMs });
    if ('kind' in answer) return answer;
    return { kind: 'heard', testimony: { canary: answer.canary }, evidence: answer.evidence };
  }

  private async askAgain({ name, absence, answeredAt }: Case, timeoutMs: number): Promise<Heard | LookupFailure> {
    const second = await this.registry.lookUpAgain(name, { absence, answeredAt }, timeoutMs);
    if (second.kind === 'failure') return second;
    const { evidence, facts } = second;
    if (facts.outcome !== 'absent') return { kind: 'heard', testimony: { secondAnswer: 'record' }, evidence };
    const premium = facts.registrable === 'premium' && { absence: { ...absence, facts } };
    return { kind: 'heard', testimony: { secondAnswer: 'no_record' }, evidence, ...premium };
  }

  private notAsked(name: DomainName, why: 'off' | 'private_zone', excerpt: string): Evidence {
    const said = { source: 'dns', server: `${parentZone(name)}.`, outcome: 'inconclusive', httpStatus: null } as const;
    return { ...said, rule: `dns.${why}`, observedAt: this.clock.now(), excerpt };
  }
}

const EVIDENCE_ORDER: readonly string[] = ['registry', 'zone', 'canary', 'second_answer'];

function describeResult(span: Span, result: LookupResult): void {
  const { source, server } = result.evidence.at(-1) ?? {};
  if (source !== undefined) span.setAttributes({ 'namewatch.source': source });
  if (server !== undefined) span.setAttributes({ 'server.address': server });
  if (result.kind === 'failure') failSpan(span, result.code);
  else span.setAttributes({ 'namewatch.outcome': result.facts.outcome });
}
