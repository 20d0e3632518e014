import { describe, expect, it } from '@jest/globals';
import { parseOptions } from '../../bench/options.js';

const SUITES = ['claims', 'list'];
const parse = (...args: string[]) => parseOptions(args, SUITES);

describe('The options of the bench', () => {
  it('select all suites unless some are named', () => {
    expect([parse(), parse('all'), parse('list', 'all'), parse('list')].map(({ suites }) => suites)).toEqual([
      SUITES,
      SUITES,
      SUITES,
      ['list'],
    ]);
  });

  it('set rounds, seconds and sizes', () => {
    const { plan } = parse('--rounds', '1', '--seconds', '2', '--sizes', '10000,1000000');

    expect(plan).toEqual({ rounds: 1, seconds: 2, sizes: [10_000, 1_000_000], keep: null });
  });

  it.each([
    [['nope'], 'there is no suite nope; there are: all, claims, list'],
    [['--rounds', '0'], '--rounds is a whole number from 1 to 1000, not "0"'],
    [['--rounds', '1.5'], '--rounds is a whole number from 1 to 1000, not "1.5"'],
    [['--seconds', 'NaN'], '--seconds is a whole number from 1 to 3600, not "NaN"'],
    [['--seconds='], '--seconds is a whole number from 1 to 3600, not ""'],
    [['--limit', 'none'], '--limit is a whole number from 1 to 86400, not "none"'],
    [['--sizes', '9999'], /^--sizes are numbers of names from 10000 to 100000000 .* not "9999"$/],
    [['--sizes', '10000,'], /^--sizes are numbers of names .* not "10000,"$/],
    [['--sizes=-10000'], /^--sizes are numbers of names .* not "-10000"$/],
    [['--sizes', '-10000'], /^Option '--sizes' argument is ambiguous$/],
    [['--wat'], "Unknown option '--wat'"],
    [['--keep', ' '], '--keep needs a path'],
  ])('%j are refused in one sentence', (args, sentence) => {
    expect(() => parse(...args)).toThrow(sentence);
  });
});
