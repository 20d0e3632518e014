import { type LookupPriority, PRIORITIES } from '../../domain/lookup/operator-budget.js';
import type { Permit, Rejection } from './registry-admission.js';

/** A question that waits for its turn. */
export interface QueuedRequest {
  readonly lane: LookupPriority;
  readonly prepaid: boolean;
  /** By the monotonic timer, in milliseconds. */
  readonly givesUpAt: number;
  readonly settle: (outcome: Permit | Rejection) => void;
}

/** Who waits for an operator: the higher lane first, and in a lane whoever came first. */
export class PriorityQueue {
  private readonly lanes: Record<LookupPriority, QueuedRequest[]> = { drop_window: [], check: [], routine: [] };
  private earliest = Infinity;

  get size(): number {
    return PRIORITIES.reduce((sum, lane) => sum + this.lanes[lane].length, 0);
  }

  add(waiter: QueuedRequest): void {
    this.lanes[waiter.lane].push(waiter);
    this.earliest = Math.min(this.earliest, waiter.givesUpAt);
  }

  first(isEligible: (waiter: QueuedRequest) => boolean = () => true): QueuedRequest | null {
    return PRIORITIES.map((lane) => this.lanes[lane].find(isEligible)).find((waiter) => waiter !== undefined) ?? null;
  }

  remove(waiter: QueuedRequest): void {
    const lane = this.lanes[waiter.lane];
    const index = lane.indexOf(waiter);
    if (index >= 0) lane.splice(index, 1);
  }

  /** Takes out those who give up before then. */
  removeImpatient(before: number): QueuedRequest[] {
    if (before < this.earliest) return []; // asked at every turn, by queues of thousands
    const out = this.removeWhere(({ givesUpAt }) => givesUpAt <= before);
    const rest = PRIORITIES.flatMap((lane) => this.lanes[lane]);
    this.earliest = rest.reduce((earliest, { givesUpAt }) => Math.min(earliest, givesUpAt), Infinity);
    return out;
  }

  /** Takes out those for whom there is nothing until they have given up. */
  removeHopeless(emptyUntil: (lane: LookupPriority) => number): QueuedRequest[] {
    return this.removeWhere(({ lane, givesUpAt, prepaid }) => !prepaid && givesUpAt < emptyUntil(lane));
  }

  /** Nobody gives up before; somebody who had his turn since may have wanted to. */
  get earliestGivingUp(): number {
    return this.earliest;
  }

  private removeWhere(isOut: (waiter: QueuedRequest) => boolean): QueuedRequest[] {
    const out = PRIORITIES.flatMap((lane) => this.lanes[lane].filter(isOut));
    out.forEach((waiter) => this.remove(waiter));
    return out;
  }
}
