import { describe, expect, it } from '@jest/globals';
import { explore } from './explorer.js';
import { CHECKS, DELIVERIES, LEASE_MUTANTS, leaseModel } from './leases.model.js';

/** A defect needs no more than this to show. */
const SMALL = { workers: 2, time: 3, claims: 3, records: 2, trouble: 'none' } as const;
const LARGE = { ...SMALL, workers: 3 };
const BOUNDS = process.env['ALL_CASES'] === '1' ? LARGE : SMALL;

describe.each([
  ['checks', CHECKS, ['none', 'clock put back', 'clock put forward', 'jobs come twice']],
  ['deliveries', DELIVERIES, ['none', 'clock put back', 'clock put forward']],
] as const)('leases of %s', (_, rules, troubles) => {
  it.each(troubles)('keep their promises in every order of events, with trouble: %s', (trouble) => {
    const found = explore(leaseModel(rules, { ...BOUNDS, trouble }));
    expect(found.counterexample).toBeNull();
    expect(found.states).toBeGreaterThan(1_000);
  });
});

describe('the model of leases finds the defect that', () => {
  it.each(Object.entries(LEASE_MUTANTS))('%s', (_, { rules, bounds, breaks, steps }) => {
    const { counterexample } = explore(leaseModel(rules, { ...SMALL, ...bounds }));
    expect({ broken: counterexample?.broken, steps: counterexample?.steps.length }).toEqual({ broken: breaks, steps });
  });
});
