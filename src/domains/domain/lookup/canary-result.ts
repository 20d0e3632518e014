import { after } from '../../../kernel/clock.js';
import type { LookupErrorCode } from './lookup-result.js';

/** What a registry said about a name whose answer is known. */
export interface CanaryAnswer {
  readonly domain: string;
  readonly outcome: 'found' | 'absent' | 'reserved' | 'inconclusive';
  /** Why it is inconclusive; `withheld`: our own budget was spent, and it was not asked. */
  readonly code: LookupErrorCode | 'withheld' | null;
}

/** Whether a registry knows its own `nic.<tld>`, or else a name that it knew lately, and none that nobody registered. */
export interface CanaryResult {
  readonly tld: string;
  readonly observedAt: Date;
  readonly hasPassed: boolean;
  readonly registered: CanaryAnswer;
  readonly unregistered: CanaryAnswer;
}

/** Only both together tell that it is neither denying everything nor inventing things. Some reserve their `nic`. */
export function hasPassed(registered: CanaryAnswer, unregistered: CanaryAnswer): boolean {
  return ['found', 'reserved'].includes(registered.outcome) && unregistered.outcome === 'absent';
}

/**
 * Whether two right verdicts lie at least so far apart, with no wrong one in between or since.
 * @param results of one TLD, oldest first
 * @param minGapMs milliseconds
 */
export function hasPassedTwice(results: readonly CanaryResult[], minGapMs: number): boolean {
  const sinceFailure = results.slice(results.findLastIndex((result) => !result.hasPassed) + 1);
  const [first, last] = [sinceFailure[0], sinceFailure.at(-1)];
  return first !== undefined && last !== undefined && last.observedAt >= after(first.observedAt, minGapMs);
}
