/** Mutant: a name that its zone had is believed to be absent as soon as the zone says nothing. Violates I2. */
import type * as Lookups from '../../../src/domains/lookups/lookups.repository.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { LookupRepository } = await fromBuild<typeof Lookups>('domains/lookups/lookups.repository');

const { recall } = LookupRepository.prototype;
LookupRepository.prototype.recall = async function (name) {
  const memory = await recall.call(this, name);
  if (memory.zoneHadIt) reportMutantUse();
  return { ...memory, zoneHadIt: false };
};
