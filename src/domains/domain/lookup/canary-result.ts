import { randomInt } from 'node:crypto';
import { after } from '../../../kernel/clock.js';
import type { Evidence, LookupErrorCode } from './lookup-result.js';

/** A registry's answer for a name whose status is known. */
export interface CanaryAnswer {
  readonly domain: string;
  readonly outcome: Evidence['outcome'];
  /** Why it is inconclusive; `not_sent`: the budget was used up and no query was sent. */
  readonly code: LookupErrorCode | 'not_sent' | null;
}

/** A probe passes if a registered name, mostly `nic.<tld>`, is found and a random unregistered one is not. */
export interface CanaryResult {
  readonly tld: string;
  readonly observedAt: Date;
  readonly hasPassed: boolean;
  readonly registered: CanaryAnswer;
  readonly unregistered: CanaryAnswer;
}

/** Only both together show that the registry denies and invents nothing. Some registries reserve their `nic`. */
export function hasPassed(registered: CanaryAnswer, unregistered: CanaryAnswer): boolean {
  return ['found', 'reserved'].includes(registered.outcome) && unregistered.outcome === 'absent';
}

/** Returns 24 random letters, below which nothing is registered in any TLD. */
export function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/**
 * Whether two passed probes are at least `minGapMs` apart, with no failure between or since.
 * @param results of one TLD, oldest first
 */
export function hasPassedTwice(results: readonly CanaryResult[], minGapMs: number): boolean {
  const sinceFailure = results.slice(results.findLastIndex((result) => !result.hasPassed) + 1);
  const [first, last] = [sinceFailure[0], sinceFailure.at(-1)];
  return first !== undefined && last !== undefined && last.observedAt >= after(first.observedAt, minGapMs);
}
