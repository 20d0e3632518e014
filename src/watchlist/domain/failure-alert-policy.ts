import type { TimeUnits } from '../../kernel/time-units.js';
import type { FailureStreak } from './confirmed-facts.js';

/** In a row. */
const MIN_FAILURES = 3;
/** Shorter failures are not reported. */
const MIN_FAILING_HOURS = 1;
/** An outage of a whole registry is reported to watchers only after this time. */
const REGISTRY_OUTAGE_MIN_DAYS = 1;

/** Decides when watchers are notified that checks fail. */
export class FailureAlertPolicy {
  constructor(private readonly units: TimeUnits) {}

  /** Whether any watcher may need a notification, whatever the interval. */
  mayAlert({ failures }: FailureStreak): boolean {
    return failures >= MIN_FAILURES;
  }

  /** @param isRegistryDown whether the registry is blocked or its circuit breaker is open */
  shouldAlert(intervalMinutes: number, streak: FailureStreak, isRegistryDown: boolean, now: Date): boolean {
    const { minute, hour, day } = this.units;
    const minimumMs = isRegistryDown
      ? REGISTRY_OUTAGE_MIN_DAYS * day
      : Math.max(intervalMinutes * minute, MIN_FAILING_HOURS * hour);
    const durationMs = now.getTime() - streak.since.getTime();
    return this.mayAlert(streak) && durationMs >= minimumMs;
  }
}
