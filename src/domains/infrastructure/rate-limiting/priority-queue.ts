import { type LookupPriority, PRIORITIES } from '../../domain/lookup/operator-budget.js';
import type { Permit, Rejection } from './registry-admission.js';

/** A question that waits for its turn. */
export interface QueuedRequest {
  readonly priority: LookupPriority;
  readonly hasReservedToken: boolean;
  /** By the monotonic timer, in milliseconds. */
  readonly deadline: number;
  readonly settle: (outcome: Permit | Rejection) => void;
}

/** Who waits for an operator: the higher lane first, and in a lane whoever came first. */
export class PriorityQueue {
  private readonly queues: Record<LookupPriority, QueuedRequest[]> = { drop_window: [], check: [], routine: [] };
  private minDeadline = Infinity;

  get size(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.queues[priority].length, 0);
  }

  add(request: QueuedRequest): void {
    this.queues[request.priority].push(request);
    this.minDeadline = Math.min(this.minDeadline, request.deadline);
  }

  first(isEligible: (request: QueuedRequest) => boolean = () => true): QueuedRequest | null {
    return (
      PRIORITIES.map((priority) => this.queues[priority].find(isEligible)).find((request) => request !== undefined) ??
      null
    );
  }

  remove(request: QueuedRequest): void {
    const priority = this.queues[request.priority];
    const index = priority.indexOf(request);
    if (index >= 0) priority.splice(index, 1);
  }

  /** Takes out those who give up before then. */
  removeExpired(before: number): QueuedRequest[] {
    if (before < this.minDeadline) return []; // asked at every turn, by queues of thousands
    const removed = this.removeWhere(({ deadline }) => deadline <= before);
    const remaining = PRIORITIES.flatMap((priority) => this.queues[priority]);
    this.minDeadline = remaining.reduce((minDeadline, { deadline }) => Math.min(minDeadline, deadline), Infinity);
    return removed;
  }

  /** Takes out those for whom there is nothing until they have given up. */
  removeUnservable(emptyUntil: (priority: LookupPriority) => number): QueuedRequest[] {
    return this.removeWhere(
      ({ priority, deadline, hasReservedToken }) => !hasReservedToken && deadline < emptyUntil(priority),
    );
  }

  /** Nobody gives up before; somebody who had his turn since may have wanted to. */
  get earliestDeadline(): number {
    return this.minDeadline;
  }

  private removeWhere(shouldRemove: (request: QueuedRequest) => boolean): QueuedRequest[] {
    const removed = PRIORITIES.flatMap((priority) => this.queues[priority].filter(shouldRemove));
    removed.forEach((request) => this.remove(request));
    return removed;
  }
}
