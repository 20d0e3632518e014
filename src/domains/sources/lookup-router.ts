import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, SECOND } from '../../kernel/clock.js';
import { Deadline } from '../../platform/outbound/deadline.js';
import {
  type FirstAnswer,
  RegistryLookup,
  type SourceQuestion,
  type TimedLookupResult,
} from '../domain/lookup/registry-lookup.js';
import {
  type EvidenceSource,
  failedLookup,
  type LookupFailure,
  type LookupResult,
} from '../domain/lookup/lookup-result.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../domain/operators.js';
import { rejectOutOfZoneAbsence } from '../domain/lookup/registry-zone.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { SourceLookup } from './source-lookup.js';
import { LookupSources } from './lookup-sources.js';

/** The share of the remaining time that a source of the role `first` may use. */
const SHARE_OF_FIRST_SOURCE = 1 / 2;
/** The longest wait for admission at a source of the role `first`. Afterwards, the next source is asked. */
const FIRST_SOURCE_WAIT_MS = SECOND;
const LATER_SOURCE_WAIT_MS = 3 * SECOND;
/** The pause before the same source is asked a second time, so that a short fault is over by then. */
const REPEAT_AFTER_MS = SECOND;

/** Asks the sources that serve a name in order, until an answer is final. */
@Injectable()
export class LookupRouter extends RegistryLookup {
  constructor(
    protected readonly sources: LookupSources,
    protected readonly lookup: SourceLookup,
    protected readonly clock: Clock,
  ) {
    super();
  }

  async lookUp(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<TimedLookupResult> {
    const deadline = new Deadline(timeoutMs);
    let earlier: LookupResult | null = null;
    for (const source of this.sources.all) {
      const server = await source.findServer(name);
      if (!server) continue;
      const isFinal = source.role === 'only';
      const [limit, request] = isFinal
        ? [deadline, earlier ? withinDeadline(deadline, admission) : admission]
        : atFirstSource(deadline, admission);
      const result: LookupResult = await this.lookup.run(source, server, name, limit, request);
      const inZone = withEarlierEvidence(earlier, rejectOutOfZoneAbsence(name, result));
      if (isFinal || isRecord(result)) return { result: inZone, remainingMs: deadline.remainingMs };
      earlier = inZone;
    }
    return { result: this.toUnanswered(name, earlier), remainingMs: deadline.remainingMs };
  }

  async lookUpAgain(name: DomainName, { absence, answeredAt }: FirstAnswer, timeoutMs: number): Promise<LookupResult> {
    const deadline = new Deadline(timeoutMs);
    deadline.start();
    const second = this.sources.findSecond(name, absence.source);
    if (!second) return this.toUnanswered(name, null);
    const { source, server, isOtherProtocol } = second;
    const waitMs = isOtherProtocol ? 0 : Math.ceil(answeredAt + REPEAT_AFTER_MS - performance.now()) + 1;
    if (waitMs >= deadline.remainingMs) return failedLookup('registry_timeout', server.label, this.clock.now());
    if (waitMs > 0) await sleep(waitMs);
    const request = { ...withinDeadline(deadline, DEFAULT_ADMISSION), isRepeat: true };
    const result = await this.lookup.run(source, server, name, deadline, request);
    return rejectOutOfZoneAbsence(name, result);
  }

  async askAbout(name: DomainName, source: EvidenceSource, question: SourceQuestion): Promise<LookupResult> {
    const asked = this.sources.find(name, source);
    if (!asked) return this.toUnanswered(name, null);
    const deadline = new Deadline(question.timeoutMs, question.onSent);
    const result = await this.lookup.run(asked.source, asked.server, name, deadline, question.admission);
    return rejectOutOfZoneAbsence(name, result);
  }

  /**
   * Returns the failure of the last source asked; `tld_unsupported` if that source did not fail or no source was asked.
   */
  private toUnanswered({ tld }: DomainName, earlier: LookupResult | null): LookupFailure {
    if (earlier?.kind === 'failure') return earlier;
    return failedLookup('tld_unsupported', `.${tld}`, earlier?.observedAt ?? this.clock.now(), earlier?.evidence);
  }
}

/** Starts the deadline before the wait for admission, so that the wait counts as lookup time. */
function atFirstSource(
  deadline: Deadline,
  { priority, maxWaitMs = FIRST_SOURCE_WAIT_MS }: AdmissionRequest,
): [Deadline, AdmissionRequest] {
  const { remainingMs } = deadline.start();
  const limit = new Deadline(remainingMs * SHARE_OF_FIRST_SOURCE);
  return [limit, { priority, maxWaitMs: Math.min(maxWaitMs, FIRST_SOURCE_WAIT_MS) }];
}

function withinDeadline(
  deadline: Deadline,
  { maxWaitMs = LATER_SOURCE_WAIT_MS, ...admission }: AdmissionRequest,
): AdmissionRequest {
  return { ...admission, maxWaitMs: Math.min(maxWaitMs, deadline.remainingMs) };
}

function isRecord(result: LookupResult): boolean {
  return result.kind === 'observation' && result.facts.outcome === 'found';
}

function withEarlierEvidence(earlier: LookupResult | null, result: LookupResult): LookupResult {
  return earlier ? { ...result, evidence: [...earlier.evidence, ...result.evidence] } : result;
}
