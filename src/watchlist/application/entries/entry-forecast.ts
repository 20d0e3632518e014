import { Injectable } from '@nestjs/common';
import { DomainName, type ExpiryForecast, forecastExpiry, type RegistrationFacts } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import type { WatchlistRow } from '../ports/watchlist-page-reader.js';

/** What the registry's rules make of an entry's facts, as the entry sees them. */
export interface FactsWithForecast {
  readonly facts: RegistrationFacts;
  readonly forecast: ExpiryForecast;
}

/** Says what is to be expected of an entry. */
@Injectable()
export class EntryForecast {
  constructor(private readonly clock: Clock) {}

  /** null before the first proof, and for rows that were read without their background. */
  forecast({ domain, background }: WatchlistRow): FactsWithForecast | null {
    if (!background?.facts) return null;
    const { facts, phase } = background;
    return { facts, forecast: forecastExpiry(DomainName.restore(domain), facts, phase, this.clock.now()) };
  }
}
