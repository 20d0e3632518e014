import { Injectable } from '@nestjs/common';
import { type RegistrationFacts, areFactsEqual } from '../domain/lifecycle/registration-facts.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import type { AdmissionRequest } from '../domain/lookup/admission.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { DomainLookup, LOOKUP_TIMEOUT_MS } from './domain-lookup.js';
import { LookupCache } from '../lookup-cache/lookup-cache.js';
import { LookupSingleFlight } from './lookup-single-flight.js';

/** A live lookup for a watch, whose result the caller records. Checks are answered from it as well. */
@Injectable()
export class RefreshDomain {
  constructor(
    private readonly lookup: DomainLookup,
    private readonly cache: LookupCache,
    private readonly singleFlight: LookupSingleFlight,
  ) {}

  /**
   * Publishes changes only: an unchanged result is not worth a row in the table that the processes share.
   * @param timeoutMs counted from admission on
   * @param known the last observed facts, if any
   */
  async run(
    name: DomainName,
    timeoutMs = LOOKUP_TIMEOUT_MS,
    admission: AdmissionRequest = { priority: 'routine' },
    known: RegistrationFacts | null = null,
  ): Promise<LookupResult> {
    const result = await this.lookup.run(name, timeoutMs, admission, known?.outcome === 'absent');
    this.cache.update(name, result);
    const hasChanged =
      result.kind === 'observation' ? !known || !areFactsEqual(known, result.facts) : result.dnsVetoed !== undefined;
    if (hasChanged) void this.singleFlight.publish(name, result);
    return result;
  }
}
