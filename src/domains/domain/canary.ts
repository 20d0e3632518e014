import { after } from '../../kernel/clock.js';
import type { LookFailureCode } from './look.js';

/** What a registry said about a name whose answer is known. */
export interface CanaryAnswer {
  readonly domain: string;
  readonly outcome: 'found' | 'absent' | 'reserved' | 'inconclusive';
  /** Why it is inconclusive; `withheld`: our own budget was spent, and it was not asked. */
  readonly code: LookFailureCode | 'withheld' | null;
}

/** Whether a registry knows its own `nic.<tld>`, or else a name that it knew lately, and none that nobody registered. */
export interface CanaryVerdict {
  readonly tld: string;
  readonly observedAt: Date;
  readonly isRight: boolean;
  readonly registered: CanaryAnswer;
  readonly unregistered: CanaryAnswer;
}

/** Only both together tell that it is neither denying everything nor inventing things. Some reserve their `nic`. */
export function isRight(registered: CanaryAnswer, unregistered: CanaryAnswer): boolean {
  return ['found', 'reserved'].includes(registered.outcome) && unregistered.outcome === 'absent';
}

/**
 * Whether two right verdicts lie at least so far apart, with no wrong one in between or since.
 * @param verdicts of one TLD, oldest first
 * @param apart milliseconds
 */
export function areRightTwice(verdicts: readonly CanaryVerdict[], apart: number): boolean {
  const sinceWrong = verdicts.slice(verdicts.findLastIndex((verdict) => !verdict.isRight) + 1);
  const [first, last] = [sinceWrong[0], sinceWrong.at(-1)];
  return first !== undefined && last !== undefined && last.observedAt >= after(first.observedAt, apart);
}

/** What canaries told lately, in all processes, as a port. */
export abstract class CanaryRecords {
  abstract keep(verdict: CanaryVerdict): Promise<void>;
  /** Oldest first. */
  abstract since(tld: string, from: Date): Promise<readonly CanaryVerdict[]>;
  /** The last verdict of each of these TLDs that has one. */
  abstract last(tlds: readonly string[]): Promise<readonly CanaryVerdict[]>;
}
