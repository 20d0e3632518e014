import type { TimeUnits } from '../../kernel/time-units.js';
import type { FailureStreak } from './confirmed-facts.js';

const MIN_FAILURES = 3;
const MIN_FAILING_HOURS = 1;
/** If the whole registry is down, watchers are notified only after this time. */
const REGISTRY_OUTAGE_MIN_DAYS = 1;

export class FailureAlertPolicy {
  constructor(private readonly units: TimeUnits) {}

  /** Whether there are enough failures for an alert. An alert also needs a minimum duration. */
  mayAlert({ failures }: FailureStreak): boolean {
    return failures >= MIN_FAILURES;
  }

  /** @param isRegistryDown whether queries to the registry are blocked, or its circuit breaker is open */
  shouldAlert(intervalMinutes: number, streak: FailureStreak, isRegistryDown: boolean, now: Date): boolean {
    const { minute, hour, day } = this.units;
    const minimumMs = isRegistryDown
      ? REGISTRY_OUTAGE_MIN_DAYS * day
      : Math.max(intervalMinutes * minute, MIN_FAILING_HOURS * hour);
    const durationMs = now.getTime() - streak.since.getTime();
    return this.mayAlert(streak) && durationMs >= minimumMs;
  }
}
