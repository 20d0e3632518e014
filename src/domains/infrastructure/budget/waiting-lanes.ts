import { type Lane, LANES } from '../../domain/budget.js';
import type { Pass, Withheld } from './registry-gate.js';

/** A question that waits for its turn. */
export interface Waiter {
  readonly lane: Lane;
  readonly prepaid: boolean;
  /** By the monotonic timer, in milliseconds. */
  readonly givesUpAt: number;
  readonly settle: (outcome: Pass | Withheld) => void;
}

/** Who waits for an operator: the higher lane first, and in a lane whoever came first. */
export class WaitingLanes {
  private readonly lanes: Record<Lane, Waiter[]> = { drop_window: [], check: [], routine: [] };
  private earliest = Infinity;

  get size(): number {
    return LANES.reduce((sum, lane) => sum + this.lanes[lane].length, 0);
  }

  add(waiter: Waiter): void {
    this.lanes[waiter.lane].push(waiter);
    this.earliest = Math.min(this.earliest, waiter.givesUpAt);
  }

  first(isEligible: (waiter: Waiter) => boolean = () => true): Waiter | null {
    return LANES.map((lane) => this.lanes[lane].find(isEligible)).find((waiter) => waiter !== undefined) ?? null;
  }

  remove(waiter: Waiter): void {
    const lane = this.lanes[waiter.lane];
    const index = lane.indexOf(waiter);
    if (index >= 0) lane.splice(index, 1);
  }

  /** Takes out those who give up before then. */
  removeImpatient(before: number): Waiter[] {
    if (before < this.earliest) return []; // asked at every turn, by queues of thousands
    const out = this.removeWhere(({ givesUpAt }) => givesUpAt <= before);
    const rest = LANES.flatMap((lane) => this.lanes[lane]);
    this.earliest = rest.reduce((earliest, { givesUpAt }) => Math.min(earliest, givesUpAt), Infinity);
    return out;
  }

  /** Takes out those for whom there is nothing until they have given up. */
  removeHopeless(emptyUntil: (lane: Lane) => number): Waiter[] {
    return this.removeWhere(({ lane, givesUpAt, prepaid }) => !prepaid && givesUpAt < emptyUntil(lane));
  }

  /** Nobody gives up before; somebody who had his turn since may have wanted to. */
  get earliestGivingUp(): number {
    return this.earliest;
  }

  private removeWhere(isOut: (waiter: Waiter) => boolean): Waiter[] {
    const out = LANES.flatMap((lane) => this.lanes[lane].filter(isOut));
    out.forEach((waiter) => this.remove(waiter));
    return out;
  }
}
