import { DAY, HOUR, MINUTE } from '../../../kernel/clock.js';
import type { FailureStreak } from '../watched-name/confirmed-facts.js';

/** Less than this is a hiccup, however many looks it took; milliseconds. */
const MIN_FAILING_MS = HOUR;
/** While a registry as a whole is away, it is the operator's trouble first, not that of each name's watchers. */
const REGISTRY_OUTAGE_MIN_MS = DAY;

/** How long looks may fail before a watcher is told. */
export class FailureAlertPolicy {
  constructor(private readonly settings: { readonly failures: number; readonly timeScale: number }) {}

  /** Whether any watcher may have to be told by now, whatever their intervals. */
  mayAlert({ failures }: FailureStreak): boolean {
    return failures >= this.settings.failures;
  }

  /** @param isRegistryDown whether the registry is not even asked at present */
  shouldAlert(intervalMinutes: number, streak: FailureStreak, isRegistryDown: boolean, now: Date): boolean {
    const minimumMs = isRegistryDown ? REGISTRY_OUTAGE_MIN_MS : Math.max(intervalMinutes * MINUTE, MIN_FAILING_MS);
    const durationMs = now.getTime() - streak.since.getTime();
    return this.mayAlert(streak) && durationMs >= minimumMs / this.settings.timeScale;
  }
}
