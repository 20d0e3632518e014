import { Injectable } from '@nestjs/common';
import { ListedDrops } from '../../domains/index.js';
import { DomainName, type ExpiryForecast, forecastExpiry, type RegistrationFacts } from '../../domains/language.js';
import { Clock } from '../../kernel/clock.js';
import type { WatchlistRow } from './watchlist-page.repository.js';

/** The facts of an entry with the registry's expected next dates. */
export interface FactsWithForecast {
  readonly facts: RegistrationFacts;
  readonly forecast: ExpiryForecast;
}

/** Forecasts what happens to an entry's name next. */
@Injectable()
export class EntryForecast {
  constructor(
    private readonly listed: ListedDrops,
    private readonly clock: Clock,
  ) {}

  /** null before the first confirmed facts, and for rows read without them. */
  forecast({ domain, background }: WatchlistRow): FactsWithForecast | null {
    if (!background?.facts) return null;
    const { facts, phase } = background;
    const listing = this.listed.find(domain);
    return { facts, forecast: forecastExpiry(DomainName.restore(domain), facts, phase, this.clock.now(), listing) };
  }
}
