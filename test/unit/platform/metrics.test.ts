import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../../src/config/config.js';
import { Metrics, type Reading } from '../../../src/platform/metrics/metrics.js';

Logger.overrideLogger(false); // readings that fail are logged

let metrics: Metrics;
beforeEach(() => {
  metrics = new Metrics({ role: 'all', metricsPort: null } as Config);
  metrics.gauge('namewatch_sound', 'One that can be read.', () => Promise.resolve(7));
});
afterEach(() => void jest.useRealTimers());

/** Words as a registry, an extension or a caller may choose them. */
const hostile = (word: string, index: number) =>
  [`${word}-${index}.example`, `${word}"}\n${index}`, `${word}-${index}`.repeat(200), `\u202e${word}${index}`][
    index % 4
  ] ?? word;

const away = () => Promise.reject<Reading>(new Error('connect ECONNREFUSED'));
const values = async () => (await metrics.expose()).text.split('\n').filter((line) => /^\w/.test(line));

describe('a metric', () => {
  it('is left out if it cannot be read, and other metrics keep their values', async () => {
    const readings = [() => Promise.resolve<Reading>(3), away];
    metrics.gauge('namewatch_single', 'One that fails later.', () => (readings.shift() ?? away)());
    metrics.gauge('namewatch_split', 'One with a label.', away, 'part');
    expect(await values()).toEqual(['namewatch_sound 7', 'namewatch_single 3']);
    expect(await values()).toEqual(['namewatch_sound 7']);
  });

  it('is left out if reading it takes too long, and is not read twice at once', async () => {
    let asked = 0;
    metrics.gauge('namewatch_silent', 'Never resolves.', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    jest.useFakeTimers();
    const scrapes = [values(), values()];
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(scrapes)).toEqual([['namewatch_sound 7'], ['namewatch_sound 7']]);
    expect(asked).toBe(1);
  });
});

describe('a counter', () => {
  it('counts separately for each combination of labels', async () => {
    const lookups = metrics.counter('namewatch_lookups_total', 'Lookups.', { operator: 2, outcome: 2 });
    for (const outcome of ['found', 'found', 'absent']) lookups.increment('verisign', outcome);
    expect(await values()).toEqual([
      'namewatch_sound 7',
      'namewatch_lookups_total{operator="verisign",outcome="found"} 2',
      'namewatch_lookups_total{operator="verisign",outcome="absent"} 1',
    ]);
    expect(await values()).toHaveLength(3); // reading counts nothing twice
  });

  it('keeps no more time series than its limits allow, whatever label values it gets', async () => {
    const lookups = metrics.counter('namewatch_lookups_total', 'Lookups.', { operator: 20, outcome: 3 });
    lookups.increment('verisign', 'found');
    for (let name = 0; name < 100_000; name += 1)
      lookups.increment(hostile('operator', name % 1_000), hostile('outcome', name));
    lookups.increment('verisign', 'found');
    const lines = await values();
    expect(lines.length).toBeLessThanOrEqual(1 + 21 * 4);
    expect(lines).toContain('namewatch_lookups_total{operator="verisign",outcome="found"} 2');
    const counted = lines.slice(1).map((line) => Number(line.split(' ').at(-1)));
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(100_002);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100);
  });
});

describe('a histogram', () => {
  it('counts for each bound the durations up to that bound', async () => {
    const durations = metrics.histogram('namewatch_wait_seconds', 'Waits.', { lock: 1 }, [0.1, 1]);
    for (const seconds of [0.1, 0.5, 7]) durations.observe(seconds, 'claims');
    expect((await values()).slice(1)).toEqual([
      'namewatch_wait_seconds_bucket{le="0.1",lock="claims"} 1',
      'namewatch_wait_seconds_bucket{le="1",lock="claims"} 2',
      'namewatch_wait_seconds_bucket{le="+Inf",lock="claims"} 3',
      'namewatch_wait_seconds_sum{lock="claims"} 7.6',
      'namewatch_wait_seconds_count{lock="claims"} 3',
    ]);
  });

  it('keeps no more time series than its limit allows', async () => {
    const durations = metrics.histogram('namewatch_wait_seconds', 'Waits.', { operator: 5 });
    for (let name = 0; name < 100_000; name += 1) durations.observe(0.2, hostile('operator', name));
    expect((await values()).filter((line) => line.includes('_count'))).toHaveLength(6);
  });
});

describe('a gauge with labels', () => {
  it('shows at most 1,000 values, or ten if its limit is ten', async () => {
    const many = new Map(Array.from({ length: 100_000 }, (_, name) => [hostile('name', name), name]));
    metrics.gauge('namewatch_many', 'Many.', () => Promise.resolve(many), 'domain');
    metrics.gauge('namewatch_few', 'Few.', () => Promise.resolve(many), 'domain', 10);
    const lines = await values();
    expect(lines.filter((line) => line.startsWith('namewatch_many'))).toHaveLength(1_000);
    expect(lines.filter((line) => line.startsWith('namewatch_few'))).toHaveLength(10);
  });
});
