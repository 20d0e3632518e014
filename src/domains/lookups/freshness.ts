import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { deriveLifecycle, EXPIRING_WINDOW_DAYS, type LifecyclePhase } from '../domain/lifecycle/lifecycle.js';
import type { Observation } from '../domain/lookup/lookup-result.js';

const FRESH_SECONDS: Readonly<Record<LifecyclePhase, number>> = {
  available: 60,
  registered: 900,
  reserved: 3_600,
  hold: 900,
  expiring: 900,
  expired_grace: 900,
  redemption: 60,
  pending_restore: 60,
  pending_delete: 60,
};

/** Decides how long an answer may be reused for checks, by the name's lifecycle phase. */
@Injectable()
export class FreshnessPolicy {
  constructor(
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** `recheckWithinMs` shortens the time, because names of the sandbox may change every few seconds. */
  freshUntil({ facts, recheckWithinMs, observedAt }: Observation): Date {
    const { phase } = deriveLifecycle(facts, EXPIRING_WINDOW_DAYS, this.clock.now());
    return after(observedAt, Math.min(FRESH_SECONDS[phase] * this.units.second, recheckWithinMs ?? Infinity));
  }
}
