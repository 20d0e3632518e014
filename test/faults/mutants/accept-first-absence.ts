/** Mutant: the first lookup without a registration confirms an absence. Violates I2. */
import type * as Lookups from '../../../src/domains/checks/domain-lookup.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { DomainLookup } = await fromBuild<typeof Lookups>('domains/checks/domain-lookup');

const { forWatch } = DomainLookup.prototype;
DomainLookup.prototype.forWatch = async function (...values) {
  reportMutantUse();
  return { ...(await forWatch.apply(this, values)), witnesses: 2 };
};
