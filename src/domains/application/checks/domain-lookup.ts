import { Injectable } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { NO_TRACER, type Span, Tracer } from '../../../kernel/tracing/tracer.js';
import { applyDnsVeto } from '../../domain/lookup/dns-veto.js';
import type { LookupResult } from '../../domain/lookup/lookup-result.js';
import type { AdmissionRequest } from '../../domain/lookup/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { DelegationChecker } from '../ports/delegation-checker.js';
import { RegistryLookup } from '../ports/registry-lookup.js';

/** For all protocols and redirects of one lookup together. */
export const LOOKUP_TIMEOUT_MS = 10 * SECOND;

/** One live lookup: the registry and, where it reports an absence, DNS. */
@Injectable()
export class DomainLookup {
  constructor(
    private readonly registryLookup: RegistryLookup,
    private readonly delegationChecker: DelegationChecker,
    private readonly tracer: Tracer = NO_TRACER,
  ) {}

  /** @param timeoutMs counted from admission on; DNS gets what the registry left of it */
  run(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<LookupResult> {
    const attributes = { 'namewatch.domain': name.ascii, 'namewatch.priority': admission.priority };
    return this.tracer.trace({ name: 'lookup', kind: 'client', attributes }, async (span) => {
      const result = await this.lookUp(name, timeoutMs, admission);
      describeResult(span, result);
      return result;
    });
  }

  private async lookUp(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<LookupResult> {
    const { result, remainingMs } = await this.registryLookup.lookUp(name, timeoutMs, admission);
    // A registration that is not delegated proves nothing, so only an absence is checked in DNS.
    if (result.kind === 'failure' || result.facts.outcome !== 'absent' || result.source === 'sandbox') return result;
    const delegation = await this.delegationChecker.check(name, remainingMs);
    return delegation ? applyDnsVeto(result, delegation) : result;
  }
}

function describeResult(span: Span, result: LookupResult): void {
  const { source, server } = result.evidence.at(-1) ?? {};
  if (source !== undefined) span.setAttributes({ 'namewatch.source': source });
  if (server !== undefined) span.setAttributes({ 'server.address': server });
  if (result.kind === 'failure') span.fail(result.code);
  else span.setAttributes({ 'namewatch.outcome': result.facts.outcome });
}
