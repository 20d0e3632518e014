/** Mutant: an absence is accepted though DNS delegates the name. Violates I2. */
import type * as Refreshing from '../../src/domains/checks/refresh-domain.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { RefreshDomain } = await fromBuild<typeof Refreshing>('domains/checks/refresh-domain');

const { run } = RefreshDomain.prototype;
RefreshDomain.prototype.run = async function (...values) {
  const seen = await run.apply(this, values);
  if (seen.kind !== 'failure' || !seen.dnsVetoed) return seen;
  reportMutantUse();
  return { ...seen.dnsVetoed, delegation: 'not_delegated' };
};
