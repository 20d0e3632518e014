/** Mutant: a check answers on one absence of the registry, also where DNS is inconclusive. Violates I2. */
import type * as Lookups from '../../src/domains/checks/domain-lookup.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { DomainLookup } = await fromBuild<typeof Lookups>('domains/checks/domain-lookup');

DomainLookup.prototype.runForCheck = async function (name) {
  const result = await this.run(name, 10_000, { priority: 'check' });
  if (result.kind === 'failure' || result.delegation !== 'inconclusive') return result;
  reportMutantUse();
  return { ...result, hasSecondWitness: true };
};
