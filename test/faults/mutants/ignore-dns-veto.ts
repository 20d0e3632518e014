/** Mutant: an absence is believed though its zone has the name. Violates I2. */
import type * as Zones from '../../../src/domains/dns/authoritative-zone-witness.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { AuthoritativeZoneWitness } = await fromBuild<typeof Zones>('domains/dns/authoritative-zone-witness');

const { ask } = AuthoritativeZoneWitness.prototype;
AuthoritativeZoneWitness.prototype.ask = async function (...values) {
  const said = await ask.apply(this, values);
  if (said.says !== 'has_it') return said;
  reportMutantUse();
  return { ...said, says: 'denies' };
};
