import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { DropWindow } from '../../domain/deletion/drop-window.js';
import { deriveLifecycle, type LifecyclePhase } from '../../domain/lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../../domain/lifecycle/registration-facts.js';
import { GenericTlds } from '../ports/generic-tlds.js';
import { forecastExpiry, type ExpiryForecast } from '../../domain/deletion/expiry-forecast.js';

/** Says what the registry's rules make of its facts, as of now. */
@Injectable()
export class ExpiryForecastService {
  constructor(
    private readonly genericTlds: GenericTlds,
    private readonly clock: Clock,
  ) {}

  forecast(name: DomainName, facts: RegistrationFacts, phase: LifecyclePhase): ExpiryForecast {
    return forecastExpiry(name, facts, phase, this.genericTlds.has(name.tld), this.clock.now());
  }

  /** When the registry will delete a name that it is deleting, as far as its rules tell. */
  dropWindow(name: DomainName, facts: RegistrationFacts, now: Date): DropWindow | null {
    const { phase } = deriveLifecycle(facts, 0, now);
    return forecastExpiry(name, facts, phase, this.genericTlds.has(name.tld), now).dropWindow;
  }
}
