import { DAY, HOUR, MINUTE } from '../../../kernel/clock.js';
import type { FailureStreak } from '../watched-name/confirmed-facts.js';

/** Shorter failures are not reported. */
const MIN_FAILING_MS = HOUR;
/** An outage of a whole registry is reported to watchers only after this time. */
const REGISTRY_OUTAGE_MIN_MS = DAY;

/** Decides when watchers are notified that checks fail. */
export class FailureAlertPolicy {
  constructor(private readonly settings: { readonly failures: number; readonly timeScale: number }) {}

  /** Whether any watcher may need a notification, whatever the interval. */
  mayAlert({ failures }: FailureStreak): boolean {
    return failures >= this.settings.failures;
  }

  /** @param isRegistryDown whether the registry is blocked or its circuit breaker is open */
  shouldAlert(intervalMinutes: number, streak: FailureStreak, isRegistryDown: boolean, now: Date): boolean {
    const minimumMs = isRegistryDown ? REGISTRY_OUTAGE_MIN_MS : Math.max(intervalMinutes * MINUTE, MIN_FAILING_MS);
    const durationMs = now.getTime() - streak.since.getTime();
    return this.mayAlert(streak) && durationMs >= minimumMs / this.settings.timeScale;
  }
}
