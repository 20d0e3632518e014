import { Injectable } from '@nestjs/common';
import { ExpiryForecastService } from '../../../domains/index.js';
import { DomainName, type ExpiryForecast, type RegistrationFacts } from '../../../domains/language.js';
import type { WatchlistRow } from '../ports/watchlist-page-reader.js';

/** What the registry's rules make of an entry's facts, as the entry sees them. */
export interface FactsWithForecast {
  readonly facts: RegistrationFacts;
  readonly outlook: ExpiryForecast;
}

/** Says what is to be expected of an entry. */
@Injectable()
export class EntryForecast {
  constructor(private readonly registries: ExpiryForecastService) {}

  /** null before the first proof, and for rows that were read without their background. */
  of({ domain, background }: WatchlistRow): FactsWithForecast | null {
    if (!background?.facts) return null;
    const { facts, phase } = background;
    return { facts, outlook: this.registries.forecast(DomainName.restore(domain), facts, phase) };
  }
}
