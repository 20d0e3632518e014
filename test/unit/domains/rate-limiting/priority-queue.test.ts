import { describe, expect, it } from '@jest/globals';
import type { LookupPriority } from '../../../../src/domains/domain/lookup/operator-budget.js';
import {
  type QueuedRequest,
  PriorityQueue,
} from '../../../../src/domains/infrastructure/rate-limiting/priority-queue.js';

const aWaiter = (lane: LookupPriority, givesUpAt = 1_000): QueuedRequest => ({
  priority: lane,
  deadline: givesUpAt,
  hasReservedToken: false,
  settle: () => undefined,
});

describe('those who wait for an operator', () => {
  it('have their turn by lane, and in a lane in the order in which they came', () => {
    const lanes = new PriorityQueue();
    const [routine, check, later, drop] = [
      aWaiter('routine'),
      aWaiter('check'),
      aWaiter('check'),
      aWaiter('drop_window'),
    ];
    for (const one of [routine, check, later, drop]) lanes.add(one);
    const turns = [];
    for (let next = lanes.first(); next; next = lanes.first()) {
      turns.push(next);
      lanes.remove(next);
    }
    expect(turns).toEqual([drop, check, later, routine]);
    expect(lanes.size).toBe(0);
  });

  it('give up one by one, each at his time, whoever else came or went', () => {
    const lanes = new PriorityQueue();
    const waiters = [500, 300, 900, 300, 700].map((at) => aWaiter('routine', at));
    for (const one of waiters) lanes.add(one);
    const [, first, last] = waiters;
    if (first) lanes.remove(first); // had his turn
    const left = [];
    for (let now = 0; lanes.size > 0; now += 100) {
      expect(lanes.earliestDeadline).toBeLessThanOrEqual(Math.min(...rest(waiters, [first, ...left])));
      left.push(...lanes.removeExpired(now));
      expect(rest(waiters, [first, ...left]).every((at) => at > now)).toBe(true);
    }
    expect(left).toHaveLength(4);
    expect(left.at(-1)).toBe(last);
    expect(lanes.earliestDeadline).toBe(Infinity);
  });

  it('all leave when the operator is left alone', () => {
    const lanes = new PriorityQueue();
    for (const lane of ['check', 'routine', 'drop_window'] as const) lanes.add(aWaiter(lane));
    expect(lanes.removeExpired(Infinity)).toHaveLength(3);
    expect(lanes.size).toBe(0);
  });
});

function rest(waiters: readonly QueuedRequest[], gone: readonly (QueuedRequest | undefined)[]): number[] {
  return waiters.filter((one) => !gone.includes(one)).map(({ deadline: givesUpAt }) => givesUpAt);
}
