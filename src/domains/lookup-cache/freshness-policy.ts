import { Injectable } from '@nestjs/common';
import { FreshnessConfig } from '../../config/sections.js';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { CLOCK_SKEW_MS } from './lookup-coordinator.js';
import { deriveLifecycle } from '../domain/lifecycle/lifecycle.js';
import { needsSecondWitness } from '../domain/lookup/availability.js';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';

/** Which observations answer a check. */
export interface FreshnessCriteria {
  /** The earliest acceptable time of the registry's answer. */
  readonly notBefore: Date;
  /** Only observations made after the request are accepted. */
  readonly mustBeLive: boolean;
  readonly isFresh: (observation: Observation) => boolean;
}

/**
 * How long an observation answers checks, by its lifecycle phase at the time of the check. That of a watch may lack the
 * witness that a check needs.
 */
@Injectable()
export class FreshnessPolicy {
  constructor(
    private readonly config: FreshnessConfig,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  criteria(maxAgeSeconds: number, requestedAt: Date): FreshnessCriteria {
    return {
      notBefore: maxAgeSeconds === Infinity ? new Date(0) : after(requestedAt, -maxAgeSeconds * SECOND),
      mustBeLive: maxAgeSeconds === 0,
      isFresh: (observation) => this.isFresh(observation, maxAgeSeconds, requestedAt),
    };
  }

  isFresh(observation: Observation, maxAgeSeconds: number, requestedAt: Date): boolean {
    if (needsSecondWitness(observation)) return false;
    const maxAgeMs = Math.min(this.freshForMs(observation), maxAgeSeconds * SECOND);
    const observedAtMs = observation.observedAt.getTime();
    // one from the future was made before the clock was put back: nobody knows how old it is
    if (observedAtMs > this.clock.now().getTime() + CLOCK_SKEW_MS) return false;
    return maxAgeMs > 0 && requestedAt.getTime() - observedAtMs <= maxAgeMs;
  }

  freshUntil(result: LookupResult): Date {
    return after(result.observedAt, result.kind === 'observation' ? this.freshForMs(result) : 0);
  }

  /** A simulated registry that changes every few seconds says so. */
  private freshForMs({ facts, recheckWithinMs }: Observation): number {
    const { freshness, expiringWindowDays } = this.config;
    const { phase } = deriveLifecycle(facts, expiringWindowDays, this.clock.now());
    return Math.min((freshness[phase] ?? 0) * this.units.second, recheckWithinMs ?? Infinity);
  }
}
