import { after, SECOND } from '../../kernel/clock.js';

/** What a claim found due at an operator, also if another process took it. */
interface FoundDue {
  readonly operator: string;
  readonly quota: number;
  /** Names of any urgency, at most the quota. */
  readonly found: number;
}

/** So often all is read from the beginning. */
const READ_ALL_EVERY_MS = 10 * SECOND;
/** What is due from the moment it was written on is committed within this time, as a rule. */
const COMMITTED_WITHIN_MS = 5 * SECOND;
/** Fewer names leave too few index entries behind to be worth it. */
const MIN_FOUND = 100;

/**
 * Where the next claim of an operator's routine names begins: those that were due before are claimed. Each check leaves
 * an index entry behind at the old due time of its name, and without a front every claim reads them all until a vacuum.
 *
 * A name can become due behind the front all the same: its transaction takes long to commit, its schedule is moved, its
 * lease ends and nothing else. So there is no front every now and then, nor after leases that expired or were released.
 */
export class RoutineFronts {
  private readonly fronts = new Map<string, Date>();
  private readonly found = new Map<string, number>();
  private readAllAt = -Infinity;

  /** Before the question who has due names, and the claim that follows it. @returns the fronts by operator */
  begin(): ReadonlyMap<string, Date> {
    const now = performance.now(); // not the clock of schedules, which may be set back
    if (now - this.readAllAt >= READ_ALL_EVERY_MS) {
      this.readAllAt = now;
      this.fronts.clear();
    }
    return this.fronts;
  }

  of(operator: string): Date | undefined {
    return this.fronts.get(operator);
  }

  /** Where a quota was too small for all that is due, the front stays. */
  advance({ operator, quota, found }: FoundDue, now: Date, routineBefore: Date): void {
    const foundSoFar = (this.found.get(operator) ?? 0) + found;
    this.found.set(operator, foundSoFar);
    if (foundSoFar < MIN_FOUND || found >= quota) return;
    const committed = after(now, -COMMITTED_WITHIN_MS);
    this.fronts.set(operator, routineBefore < committed ? routineBefore : committed);
  }

  forget(operators: readonly string[]): void {
    for (const operator of operators) this.fronts.delete(operator);
  }
}
