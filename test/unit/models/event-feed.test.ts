import { describe, expect, it } from '@jest/globals';
import { explore } from './explorer.js';
import { FEED, FEED_MUTANTS, feedModel } from './event-feed.model.js';

const SMALL = { writers: 2, events: 3, limit: 2, isFiltered: false, isStream: false, isPurged: false };
const LARGE = { ...SMALL, writers: 3 };
const BOUNDS = { ...(process.env['ALL_CASES'] === '1' ? LARGE : SMALL), limit: 1, isPurged: true };

describe('the feed of events', () => {
  it.each([
    ['a list', {}],
    ['a filtered list', { isFiltered: true }],
    ['a stream', { isStream: true }],
    ['a filtered stream', { isFiltered: true, isStream: true }],
  ])('hides nothing from %s, in every order of writes, commits, reads and purges', (_, kind) => {
    const found = explore(feedModel(FEED, { ...BOUNDS, ...kind }));
    expect(found.counterexample).toBeNull();
    expect(found.states).toBeGreaterThan(1_000);
  });
});

describe('the model of the feed finds', () => {
  it.each(Object.entries(FEED_MUTANTS))('%s', (_, { rules, bounds, breaks, steps }) => {
    const { counterexample } = explore(feedModel(rules, { ...SMALL, ...bounds }));
    expect({ broken: counterexample?.broken, steps: counterexample?.steps.length }).toEqual({ broken: breaks, steps });
  });
});
