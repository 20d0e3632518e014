import { Injectable } from '@nestjs/common';
import { areFactsEqual, type RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { LookupRepository } from '../lookups/lookups.repository.js';
import { DomainLookup, type WatchRequest } from './domain-lookup.js';

/** Makes a live lookup for a watched name. The caller records the result. */
@Injectable()
export class RefreshDomain {
  constructor(
    private readonly lookup: DomainLookup,
    private readonly lookups: LookupRepository,
  ) {}

  /**
   * Saves only changed facts and doubted absences, because both make the stored answers to checks outdated.
   * @param known the last confirmed facts, if any
   */
  async run(name: DomainName, request: WatchRequest, known: RegistrationFacts | null = null): Promise<LookupResult> {
    const result = await this.lookup.forWatch(name, request);
    const hasChanged =
      result.kind === 'observation' ? !known || !areFactsEqual(known, result.facts) : result.doubt !== undefined;
    if (hasChanged) await this.lookups.saveChange(name, result);
    return result;
  }
}
