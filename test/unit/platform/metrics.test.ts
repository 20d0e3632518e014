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

const away = () => Promise.reject<Reading>(new Error('connect ECONNREFUSED'));
const values = async () => (await metrics.expose()).text.split('\n').filter((line) => /^\w/.test(line));

describe('a metric', () => {
  it('that cannot be read is absent, and the others keep their values', async () => {
    const readings = [() => Promise.resolve<Reading>(3), away];
    metrics.gauge('namewatch_single', 'One that fails later.', () => (readings.shift() ?? away)());
    metrics.gauge('namewatch_split', 'One with a label.', away, 'part');
    expect(await values()).toEqual(['namewatch_sound 7', 'namewatch_single 3']);
    expect(await values()).toEqual(['namewatch_sound 7']);
  });

  it('that takes too long is left out, and not read again before the first reading ends', async () => {
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
