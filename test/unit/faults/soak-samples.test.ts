import { describe, expect, it } from '@jest/globals';
import { drawGraph, findGrowth, type Sample } from '../../faults/soak-samples.js';

const month = (name: string, valueOn: (day: number) => number): readonly Sample[] =>
  Array.from({ length: 61 }, (_, n) => ({ day: n / 2, values: { [name]: valueOn(n / 2) } }));

describe('a soak', () => {
  it.each<[string, string, (day: number) => number]>([
    ['memory that is the same at last', 'memory of worker-2, MB', () => 300],
    ['memory that is filled in the first days', 'memory of worker-2, MB', (day) => Math.min(300, 100 + 40 * day)],
    ['a table that is small', 'table events, MB', (day) => day / 4],
    ['a delay that ends', 'most overdue check, s', (day) => (day === 28 ? 60 : 1)],
    ['a process that was not measured', 'handles of api-2', () => NaN],
  ])('takes %s', (_, name, valueOn) => {
    expect(findGrowth(month(name, valueOn))).toEqual([]);
  });

  it.each<[string, string, (day: number) => number]>([
    ['memory that leaks', 'memory of worker-2, MB', (day) => 300 + 10 * day],
    ['handles that stay open', 'handles of api-2', (day) => 30 + day],
    ['a table that is never cleaned', 'table events, MB', (day) => 10 * day],
    ['connections that are never given back', 'connections to PostgreSQL', (day) => 40 + 2 * day],
    ['dead rows that no vacuum removes', 'dead rows', (day) => 10_000 * day],
  ])('finds %s', (_, name, valueOn) => {
    expect(findGrowth(month(name, valueOn))).toEqual([expect.stringContaining(`${name} grows`)]);
  });

  it('draws its samples, with a mark for each fault', () => {
    const samples = month('memory of worker-2, MB', () => 300);
    const graph = drawGraph(samples, [{ day: 3 }, { day: 4 }]);
    expect(graph.match(/class="fault"/g)).toHaveLength(2);
    expect(graph).toContain('Memory, MB');
    expect(graph).not.toContain('NaN');
  });
});
