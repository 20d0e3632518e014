/**
 * Mutant: a lease on a name lasts an hour, so the death of its worker delays the check of the name. The repair after a
 * clock was put back would shorten it at the next start of any process, so it is off. Violates I6; this is seen only with
 * the queue in PostgreSQL.
 */
import type * as Repairs from '../../../src/platform/database/put-back-repair.js';
import type * as LeaseRepositories from '../../../src/watchlist/checks/leases.repository.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { LeaseRepository } = await fromBuild<typeof LeaseRepositories>('watchlist/checks/leases.repository');
const { RepairAfterPutBack } = await fromBuild<typeof Repairs>('platform/database/put-back-repair');
type Leases = InstanceType<typeof LeaseRepository>;

RepairAfterPutBack.prototype.run = () => Promise.resolve();

const { claimDue, start } = LeaseRepository.prototype;
LeaseRepository.prototype.claimDue = function (...values) {
  return claimDue.apply(withEndlessLeases(this), values);
};
LeaseRepository.prototype.start = function (...values) {
  return start.apply(withEndlessLeases(this), values);
};

function withEndlessLeases(leases: Leases): Leases {
  reportMutantUse();
  return Object.create(leases, { config: { value: { ...leases['config'], leaseSeconds: 3_600 } } }) as Leases;
}
