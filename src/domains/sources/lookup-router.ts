import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, SECOND } from '../../kernel/clock.js';
import { type FirstAnswer, RegistryLookup, type TimedLookupResult } from '../domain/lookup/registry-lookup.js';
import type { LookupFailure, LookupResult } from '../domain/lookup/lookup-result.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../domain/lookup/operator-budget.js';
import { rejectOutOfZoneAbsence } from '../domain/lookup/registry-zone.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { HopDeadline } from './hop-deadline.js';
import { LookupSources } from './lookup-sources.js';
import type { RegistryServer } from '../domain/lookup/registry-server.js';
import type { RegistrySource } from '../transport/registry-source.js';
import { SourceLookup } from './source-lookup.js';

/** Of the time that is left; the rest is for the next source. */
const SHARE_OF_FIRST_SOURCE = 1 / 2;
/** For admission of a query that the next source can answer as well. */
const FIRST_SOURCE_WAIT_MS = SECOND;
const LATER_SOURCE_WAIT_MS = 3 * SECOND;
/** Between two questions by one protocol: what answered the first one wrongly may be over. */
const REPEAT_AFTER_MS = SECOND;

/** Asks the sources that serve a name in order, until an answer is final. */
@Injectable()
export class LookupRouter extends RegistryLookup {
  constructor(
    private readonly sources: LookupSources,
    private readonly lookup: SourceLookup,
    private readonly clock: Clock,
  ) {
    super();
  }

  async lookUp(
    name: DomainName,
    timeoutMs: number,
    admission: AdmissionRequest = DEFAULT_ADMISSION,
  ): Promise<TimedLookupResult> {
    const deadline = new HopDeadline(timeoutMs);
    let earlier: LookupResult | null = null;
    for (const source of this.sources.all) {
      const known = source.findServer(name);
      const server = known instanceof Promise ? await known : known;
      if (!server) continue;
      const result: LookupResult =
        source.role === 'only'
          ? await this.lookup.run(source, server, name, deadline, earlier ? within(deadline, admission) : admission)
          : await this.askFirst(source, server, name, deadline, admission);
      const inZone = withEarlierEvidence(earlier, rejectOutOfZoneAbsence(name, result));
      if (source.role === 'only' || isRecord(result)) return { result: inZone, remainingMs: deadline.remainingMs };
      earlier = inZone;
    }
    return { result: this.toUnanswered(name, earlier), remainingMs: deadline.remainingMs };
  }

  async lookUpAgain(
    name: DomainName,
    { absence, answeredAt }: FirstAnswer,
    timeoutMs: number,
    admission: AdmissionRequest = DEFAULT_ADMISSION,
  ): Promise<LookupResult> {
    const deadline = new HopDeadline(timeoutMs);
    deadline.start();
    const second = this.sources.findSecond(name, absence.source);
    if (!second) return this.toUnanswered(name, null);
    const { source, server, isOtherProtocol } = second;
    const waitMs = isOtherProtocol ? 0 : Math.ceil(answeredAt + REPEAT_AFTER_MS - performance.now()) + 1;
    if (waitMs >= deadline.remainingMs) return this.toTimeout(server);
    if (waitMs > 0) await sleep(waitMs);
    const result = await this.lookup.run(source, server, name, deadline, {
      ...within(deadline, admission),
      isRepeat: true,
    });
    return rejectOutOfZoneAbsence(name, result);
  }

  /** From here on waiting for admission counts too: whatever this source does, the lookup ends in time. */
  private askFirst(
    source: RegistrySource,
    server: RegistryServer,
    name: DomainName,
    deadline: HopDeadline,
    { priority, maxWaitMs = FIRST_SOURCE_WAIT_MS }: AdmissionRequest,
  ): Promise<LookupResult> {
    const { remainingMs } = deadline.start();
    const request = { priority, maxWaitMs: Math.min(maxWaitMs, FIRST_SOURCE_WAIT_MS) };
    return this.lookup.run(source, server, name, new HopDeadline(remainingMs * SHARE_OF_FIRST_SOURCE), request);
  }

  private toTimeout({ label: registry }: RegistryServer): LookupFailure {
    const failure = { registry, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'registry_timeout', ...failure };
  }

  /** Without a source whose answer is final, an absence is not known: only a record counts. */
  private toUnanswered({ tld }: DomainName, earlier: LookupResult | null): LookupFailure {
    if (earlier?.kind === 'failure') return earlier;
    const { evidence = [], observedAt = this.clock.now() } = earlier ?? {};
    const failure = { registry: `.${tld}`, retryAfterSeconds: null, observedAt, evidence };
    return { kind: 'failure', code: 'tld_unsupported', ...failure };
  }
}

/** A reserved token is for this source, whose operator paces the checks of a watch. */
function within(deadline: HopDeadline, { maxWaitMs = LATER_SOURCE_WAIT_MS, ...admission }: AdmissionRequest) {
  return { ...admission, maxWaitMs: Math.min(maxWaitMs, deadline.remainingMs) };
}

function isRecord(result: LookupResult): boolean {
  return result.kind === 'observation' && result.facts.outcome === 'found';
}

function withEarlierEvidence(earlier: LookupResult | null, result: LookupResult): LookupResult {
  return earlier ? { ...result, evidence: [...earlier.evidence, ...result.evidence] } : result;
}
