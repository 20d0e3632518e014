import { type LookupPriority, PRIORITIES } from '../domain/lookup/admission.js';
import type { Permit, Rejection } from './registry-admission.js';

/** A request that waits for admission. */
export interface QueuedRequest {
  readonly priority: LookupPriority;
  readonly hasReservedToken: boolean;
  /** See AdmissionRequest. */
  readonly isRepeat: boolean;
  /** performance.now() time */
  readonly deadline: number;
  readonly settle: (outcome: Permit | Rejection) => void;
}

/** Requests that wait for one operator: by priority, repeats first, then first in, first out. */
export class PriorityQueue {
  private readonly queues: Record<LookupPriority, QueuedRequest[]> = { drop_window: [], check: [], routine: [] };
  private minDeadline = Infinity;

  get size(): number {
    let size = 0;
    for (const priority of PRIORITIES) size += this.queues[priority].length;
    return size;
  }

  add(request: QueuedRequest): void {
    const queue = this.queues[request.priority];
    const position = request.isRepeat ? queue.findIndex(({ isRepeat }) => !isRepeat) : -1;
    if (position < 0) queue.push(request);
    else queue.splice(position, 0, request);
    this.minDeadline = Math.min(this.minDeadline, request.deadline);
  }

  first(isEligible: (request: QueuedRequest) => boolean = () => true): QueuedRequest | null {
    for (const priority of PRIORITIES) {
      const request = this.queues[priority].find(isEligible);
      if (request) return request;
    }
    return null;
  }

  remove(request: QueuedRequest): void {
    const priority = this.queues[request.priority];
    const index = priority.indexOf(request);
    if (index === 0)
      priority.shift(); // the usual case, in queues of thousands
    else if (index > 0) priority.splice(index, 1);
  }

  /** Removes and returns the requests whose deadline has passed. */
  removeExpired(before: number): QueuedRequest[] {
    if (before < this.minDeadline) return []; // called on every wake-up, by queues of thousands
    const removed = this.removeWhere(({ deadline }) => deadline <= before);
    const remaining = PRIORITIES.flatMap((priority) => this.queues[priority]);
    this.minDeadline = remaining.reduce((minDeadline, { deadline }) => Math.min(minDeadline, deadline), Infinity);
    return removed;
  }

  /** Removes and returns the requests that expire before there is a token for them. */
  removeUnservable(emptyUntil: (priority: LookupPriority) => number): QueuedRequest[] {
    return this.removeWhere(
      ({ priority, deadline, hasReservedToken }) => !hasReservedToken && deadline < emptyUntil(priority),
    );
  }

  /** A lower bound: the request that had this deadline may have been admitted since. */
  get earliestDeadline(): number {
    return this.minDeadline;
  }

  private removeWhere(shouldRemove: (request: QueuedRequest) => boolean): QueuedRequest[] {
    const removed = PRIORITIES.flatMap((priority) => this.queues[priority].filter(shouldRemove));
    removed.forEach((request) => this.remove(request));
    return removed;
  }
}
