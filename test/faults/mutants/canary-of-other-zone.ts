/** Mutant: a name of another zone proves that the registry works in this one. Violates I2. */
import type * as Memories from '../../../src/domains/canaries/canary-memory.repository.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { CanaryMemoryRepository } = await fromBuild<typeof Memories>('domains/canaries/canary-memory.repository');

/** One server of the harness has both. */
const OTHER_ZONES: ReadonlyMap<string, string> = new Map([['zeta', 'eta']]);

const { recall, save } = CanaryMemoryRepository.prototype;
CanaryMemoryRepository.prototype.recall = function (place) {
  return recall.call(this, inOtherZone(place));
};
CanaryMemoryRepository.prototype.save = function (place, memory) {
  return save.call(this, inOtherZone(place), memory);
};

function inOtherZone<Place extends Memories.CanaryPlace>(place: Place): Place {
  const zone = OTHER_ZONES.get(place.zone);
  if (zone === undefined) return place;
  reportMutantUse();
  return { ...place, zone };
}
