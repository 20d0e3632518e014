/** Mutant: a result is recorded without a lease and however old it is. Violates I1. */
import type * as LeaseRepositories from '../../../src/watchlist/checks/leases.repository.js';
import type * as Recording from '../../../src/watchlist/checks/record-check-results.js';
import type * as WatchedNames from '../../../src/watchlist/domain/watched-name.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { LeaseRepository } = await fromBuild<typeof LeaseRepositories>('watchlist/checks/leases.repository');
const { RecordCheckResults } = await fromBuild<typeof Recording>('watchlist/checks/record-check-results');
const { WatchedName } = await fromBuild<typeof WatchedNames>('watchlist/domain/watched-name');

const UNFENCED = { name: 'check_lease_end_unfenced', text: 'delete from check_leases where domain = $1' };

LeaseRepository.prototype.end = async function ({ name }) {
  reportMutantUse();
  await this['statements'].run(UNFENCED, [name]);
  return true;
};
// Every result takes the transactional path, which had the fence.
RecordCheckResults.prototype['applyToCopy'] = () => null;
WatchedName.prototype.isStale = () => false;
