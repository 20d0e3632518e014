import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogDeduplicator } from '../../../../src/platform/logging/logging.js';

let lines: LogDeduplicator;
let written: string[];
beforeEach(() => {
  jest.useFakeTimers();
  [lines, written] = [new LogDeduplicator(), []];
});
afterEach(() => void jest.useRealTimers());

const say = (text: string, source = 'Source') =>
  lines.writeOrCount(source, text, (suffix) => written.push(`${text}${suffix}`));

describe('repeated log lines', () => {
  it('are written once, and a minute later as the last of them with the number of repeats', () => {
    for (let port = 1; port <= 100; port += 1) say(`connect to port ${port} failed`);
    expect(written).toEqual(['connect to port 1 failed']);
    jest.advanceTimersByTime(60_000);
    expect(written.slice(1)).toEqual(['connect to port 100 failed (99 more like it in 60 s)']);
  });

  it('are written in full again after a minute without a repeat', () => {
    say('failed');
    jest.advanceTimersByTime(60_000);
    say('failed');
    expect(written).toEqual(['failed', 'failed']);
  });

  it('count as repeated only if they have the same source and text', () => {
    say('failed');
    say('failed', 'Another');
    say('failed otherwise');
    expect(written).toHaveLength(3);
  });
});
