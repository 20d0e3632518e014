import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suiteGroups } from '../../support/runner/suite-groups.mjs';

const TESTS = join(import.meta.dirname, '../..');

/** A suite in a group is not run alone, so a group that nothing runs would take its suites with it. */
describe('the groups of suites', () => {
  it('each have a file that runs them, and are not empty', () => {
    const groups = suiteGroups();
    expect(readdirSync(join(TESTS, 'groups')).sort()).toEqual(
      Object.keys(groups)
        .map((group) => `${group}.group.ts`)
        .sort(),
    );
    expect(Object.values(groups).filter((suites) => suites.length === 0)).toEqual([]);
  });

  it('hold no suite twice, and none that is not there', () => {
    const suites = Object.values(suiteGroups()).flat();
    expect(new Set(suites).size).toBe(suites.length);
    expect(suites.filter((suite) => !existsSync(join(TESTS, suite)))).toEqual([]);
  });
});
