/** Mutant: name servers and DS records change when the registry says so, whatever the parent zone says. Violates I9. */
import type * as Confirming from '../../../src/watchlist/checks/check-due-names.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { ConfirmDelegation } = await fromBuild<typeof Confirming>('watchlist/checks/check-due-names');

const { run } = ConfirmDelegation.prototype;
ConfirmDelegation.prototype.run = async function (...values) {
  const reports = await run.apply(this, values);
  if (Object.values(reports).some(({ verdict }) => verdict !== 'confirmed')) reportMutantUse();
  return Object.fromEntries(
    Object.entries(reports).map(([kind, report]) => [kind, { ...report, verdict: 'confirmed' }]),
  );
};
