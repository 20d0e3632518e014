import { Inject, Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { NO_TRACER, type Span, Tracer } from '../../kernel/tracing/tracer.js';
import {
  addSecondWitness,
  skipDnsCheck,
  needsSecondWitness,
  applyDnsVeto,
  couldBeVetoed,
  keepDnsVeto,
} from '../domain/lookup/availability.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../domain/lookup/admission.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { RegistryTrust } from '../canaries/registry-trust.js';
import { DelegationChecker } from '../dns/parent-zone.js';
import { RegistryLookup, type TimedLookupResult } from '../domain/lookup/registry-lookup.js';

/** Limits all protocols and redirects of one lookup together. */
export const LOOKUP_TIMEOUT_MS = 10 * SECOND;

interface AnsweredLookup extends TimedLookupResult {
  /** Is when the registry answered; performance.now() time. */
  readonly answeredAt: number;
}

/** One live lookup: the registry and, where it reports an absence, DNS. */
@Injectable()
export class DomainLookup {
  constructor(
    private readonly registryLookup: RegistryLookup,
    private readonly delegationChecker: DelegationChecker,
    @Inject(RegistryTrust) private readonly trust: Pick<RegistryTrust, 'wasDelegated'>,
    private readonly tracer: Tracer = NO_TRACER,
  ) {}

  /**
   * @param timeoutMs counted from admission on; DNS gets what the registry left of it
   * @param isKnownAbsent an absence that was confirmed is not vetoed by what DNS said before it
   */
  run(name: DomainName, timeoutMs: number, admission: AdmissionRequest, isKnownAbsent = false): Promise<LookupResult> {
    return this.traced(name, admission, async () => {
      const { result } = await this.lookUp(name, timeoutMs, admission);
      const isVetoed = !isKnownAbsent && couldBeVetoed(result) && (await this.trust.wasDelegated(name));
      return isVetoed ? keepDnsVeto(result) : result;
    });
  }

  /**
   * Looks up for a check, which has to answer now: where DNS does not deny the delegation of an absent name, the registry
   * is asked again. A watch looks again later instead.
   */
  runForCheck(name: DomainName): Promise<LookupResult> {
    return this.traced(name, DEFAULT_ADMISSION, async () => {
      const { result, answeredAt, remainingMs } = await this.lookUp(name, LOOKUP_TIMEOUT_MS, DEFAULT_ADMISSION);
      if (couldBeVetoed(result) && (await this.trust.wasDelegated(name))) return keepDnsVeto(result);
      if (result.kind === 'failure' || !needsSecondWitness(result)) return result;
      const timeoutMs = remainingMs - (performance.now() - answeredAt);
      const second = await this.registryLookup.lookUpAgain(name, { absence: result, answeredAt }, timeoutMs);
      return addSecondWitness(name, result, second);
    });
  }

  private traced(
    name: DomainName,
    admission: AdmissionRequest,
    lookUp: () => Promise<LookupResult>,
  ): Promise<LookupResult> {
    const attributes = { 'namewatch.domain': name.ascii, 'namewatch.priority': admission.priority };
    return this.tracer.trace({ name: 'lookup', kind: 'client', attributes }, async (span) => {
      const result = await lookUp();
      describeResult(span, result);
      return result;
    });
  }

  private async lookUp(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<AnsweredLookup> {
    const { result, remainingMs } = await this.registryLookup.lookUp(name, timeoutMs, admission);
    const answered = { result, remainingMs, answeredAt: performance.now() };
    // A registration that is not delegated proves nothing, so only an absence is checked in DNS; the sandbox has its own.
    if (result.kind === 'failure' || result.facts.outcome !== 'absent' || result.delegation) return answered;
    if (result.isPrivateZone) return { ...answered, result: skipDnsCheck(name, result) };
    const delegation = await this.delegationChecker.check(name, remainingMs);
    return delegation ? { ...answered, result: applyDnsVeto(result, delegation) } : answered;
  }
}

function describeResult(span: Span, result: LookupResult): void {
  const { source, server } = result.evidence.at(-1) ?? {};
  if (source !== undefined) span.setAttributes({ 'namewatch.source': source });
  if (server !== undefined) span.setAttributes({ 'server.address': server });
  if (result.kind === 'failure') span.fail(result.code);
  else span.setAttributes({ 'namewatch.outcome': result.facts.outcome });
}
