import { describe } from '@jest/globals';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { suiteGroups } from './suite-groups.mjs';

const require = createRequire(import.meta.url);

/**
 * The suites of a group one after another, each under its own name and with its own hooks.
 * @param file the group's own, which bears its name
 */
export function runTogether(file: string): void {
  const group = basename(file, '.group.ts');
  const suites = suiteGroups()[group] ?? [];
  if (suites.length === 0) throw new Error(`no suites in the group ${group}`);
  for (const suite of suites)
    describe(suite, () => {
      require(`../../${suite}`);
    });
}
