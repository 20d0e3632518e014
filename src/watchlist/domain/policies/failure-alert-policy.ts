import { DAY, HOUR, MINUTE } from '../../../kernel/clock.js';
import type { FailureStreak } from '../watched-name/confirmed-facts.js';

/** Less than this is a hiccup, however many looks it took; milliseconds. */
const AT_LEAST = HOUR;
/** While a registry as a whole is away, it is the operator's trouble first, not that of each name's watchers. */
const WHILE_OPERATOR_IS_AWAY = DAY;

/** How long looks may fail before a watcher is told. */
export class FailureAlertPolicy {
  constructor(private readonly settings: { readonly failures: number; readonly timeScale: number }) {}

  /** Whether any watcher may have to be told by now, whatever their intervals. */
  mayEnd({ failures }: FailureStreak): boolean {
    return failures >= this.settings.failures;
  }

  /** @param isOperatorAway whether the registry is not even asked at present */
  endsFor(intervalMinutes: number, failing: FailureStreak, isOperatorAway: boolean, now: Date): boolean {
    const least = isOperatorAway ? WHILE_OPERATOR_IS_AWAY : Math.max(intervalMinutes * MINUTE, AT_LEAST);
    const lasted = now.getTime() - failing.since.getTime();
    return this.mayEnd(failing) && lasted >= least / this.settings.timeScale;
  }
}
