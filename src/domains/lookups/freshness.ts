import { Injectable } from '@nestjs/common';
import { FreshnessConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { deriveLifecycle } from '../domain/lifecycle/lifecycle.js';
import type { Observation } from '../domain/lookup/lookup-result.js';

/** How long an observation answers checks, by the lifecycle phase that it shows. */
@Injectable()
export class FreshnessPolicy {
  constructor(
    private readonly config: FreshnessConfig,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** A simulated registry that changes every few seconds says so. */
  freshUntil({ facts, recheckWithinMs, observedAt }: Observation): Date {
    const { freshness, expiringWindowDays } = this.config;
    const { phase } = deriveLifecycle(facts, expiringWindowDays, this.clock.now());
    return after(observedAt, Math.min((freshness[phase] ?? 0) * this.units.second, recheckWithinMs ?? Infinity));
  }
}
