/** Mutant: a check takes the registry's one answer for two where the zone cannot be heard. Violates I2. */
import type * as Routing from '../../../src/domains/sources/lookup-router.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { LookupRouter } = await fromBuild<typeof Routing>('domains/sources/lookup-router');

LookupRouter.prototype.lookUpAgain = function (_name, { absence }) {
  reportMutantUse();
  return Promise.resolve(absence);
};
