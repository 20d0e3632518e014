import { describe, expect, it } from '@jest/globals';
import type { LookupPriority } from '../../../../src/domains/domain/lookup/admission.js';
import { type QueuedRequest, PriorityQueue } from '../../../../src/domains/rate-limiting/admission-queue.js';

const aRequest = (priority: LookupPriority, deadline = 1_000): QueuedRequest => ({
  priority,
  deadline,
  hasReservedToken: false,
  isRepeat: false,
  settle: () => undefined,
});

describe('requests waiting for an operator', () => {
  it('are served by priority, then first in, first out', () => {
    const queue = new PriorityQueue();
    const [routine, check, later, drop] = [
      aRequest('routine'),
      aRequest('check'),
      aRequest('check'),
      aRequest('drop_window'),
    ];
    for (const one of [routine, check, later, drop]) queue.add(one);
    const turns = [];
    for (let next = queue.first(); next; next = queue.first()) {
      turns.push(next);
      queue.remove(next);
    }
    expect(turns).toEqual([drop, check, later, routine]);
    expect(queue.size).toBe(0);
  });

  it('are served before others of their priority if they ask again, in turn among themselves', () => {
    const queue = new PriorityQueue();
    const [first, drop] = [aRequest('check'), aRequest('drop_window')];
    const [repeat, later] = [aRequest('check'), aRequest('check')].map((one) => ({ ...one, isRepeat: true }));
    for (const one of [first, repeat, drop, later]) if (one) queue.add(one);
    const turns = [];
    for (let next = queue.first(); next; next = queue.first()) {
      turns.push(next);
      queue.remove(next);
    }
    expect(turns).toEqual([drop, repeat, later, first]);
  });

  it('expire one by one at their deadlines', () => {
    const queue = new PriorityQueue();
    const requests = [500, 300, 900, 300, 700].map((at) => aRequest('routine', at));
    for (const one of requests) queue.add(one);
    const [, first, last] = requests;
    if (first) queue.remove(first); // was admitted
    const left = [];
    for (let now = 0; queue.size > 0; now += 100) {
      expect(queue.earliestDeadline).toBeLessThanOrEqual(Math.min(...rest(requests, [first, ...left])));
      left.push(...queue.removeExpired(now));
      expect(rest(requests, [first, ...left]).every((at) => at > now)).toBe(true);
    }
    expect(left).toHaveLength(4);
    expect(left.at(-1)).toBe(last);
    expect(queue.earliestDeadline).toBe(Infinity);
  });

  it('are all removed when the operator is blocked', () => {
    const queue = new PriorityQueue();
    for (const priority of ['check', 'routine', 'drop_window'] as const) queue.add(aRequest(priority));
    expect(queue.removeExpired(Infinity)).toHaveLength(3);
    expect(queue.size).toBe(0);
  });
});

function rest(requests: readonly QueuedRequest[], gone: readonly (QueuedRequest | undefined)[]): number[] {
  return requests.filter((one) => !gone.includes(one)).map(({ deadline }) => deadline);
}
