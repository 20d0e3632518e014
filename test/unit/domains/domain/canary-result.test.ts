import { describe, expect, it } from '@jest/globals';
import {
  hasPassedTwice,
  type CanaryAnswer,
  type CanaryResult,
  hasPassed,
} from '../../../../src/domains/domain/lookup/canary-result.js';
import { after, MINUTE } from '../../../../src/kernel/clock.js';

const start = new Date('2026-11-21T12:00:00Z');
const says = (outcome: CanaryAnswer['outcome']): CanaryAnswer => ({ domain: 'nic.example', outcome, code: null });
const verdict = (minutes: number, right = true): CanaryResult => ({
  tld: 'example',
  observedAt: after(start, minutes * MINUTE),
  hasPassed: right,
  registered: says(right ? 'found' : 'absent'),
  unregistered: says('absent'),
});

describe('a canary probe', () => {
  it.each([
    ['found', 'absent', true],
    ['reserved', 'absent', true],
    ['absent', 'absent', false],
    ['found', 'found', false],
    ['inconclusive', 'absent', false],
    ['found', 'inconclusive', false],
  ] as const)('with %s for the registered and %s for the unregistered name passes: %s', (own, random, right) => {
    expect(hasPassed(says(own), says(random))).toBe(right);
  });

  it.each([
    ['nothing at all', [], false],
    ['once', [verdict(0)], false],
    ['twice too soon', [verdict(0), verdict(9)], false],
    ['twice, ten minutes apart', [verdict(0), verdict(10)], true],
    ['often, ten minutes apart in all', [verdict(0), verdict(4), verdict(8), verdict(12)], true],
    ['twice with a failure in between', [verdict(0), verdict(5, false), verdict(10)], false],
    ['twice with a failure since', [verdict(0), verdict(10), verdict(11, false)], false],
    ['twice after a failure', [verdict(0, false), verdict(1), verdict(11)], true],
  ])('has passed twice after passing %s: %#', (_what, verdicts, twice) => {
    expect(hasPassedTwice(verdicts, 10 * MINUTE)).toBe(twice);
  });
});
