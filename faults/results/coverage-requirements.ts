import type { InjectedFault } from '../scenario/fault-injector.js';
import type { Cluster } from '../cluster/cluster.js';
import type { RecordScenario } from '../scenario/record-scenario.js';
import type { Scenario } from '../scenario/scenario.js';

/** What has to have happened in a run for its result to mean anything. */
export interface CoverageRequirement {
  readonly what: string;
  readonly isMet: boolean;
}

const MIN_CHANGES = 50;
const MIN_RECORD_CHANGES = 12;

export function checkCoverage(
  { registries, processes }: Pick<Cluster, 'registries' | 'processes'>,
  { changes, outdatedNames }: Pick<Scenario, 'changes' | 'outdatedNames'>,
  { changes: recordChanges }: Pick<RecordScenario, 'changes'>,
  injected: readonly InjectedFault[],
  hasMutant: boolean,
): CoverageRequirement[] {
  const delivered = [...registries.deliveredFaults];
  const missed = injected.filter(({ isMissed }) => isMissed).map(({ what }) => what);
  const users = processes.filter(({ usedMutant }) => usedMutant).map(({ name }) => name);
  return [
    { what: `at least ${MIN_CHANGES} registry changes: ${changes}`, isMet: changes >= MIN_CHANGES },
    {
      what: `at least ${MIN_RECORD_CHANGES} changes of registration records: ${recordChanges}`,
      isMet: recordChanges >= MIN_RECORD_CHANGES,
    },
    {
      what: `registry faults of every kind were delivered: ${delivered.map(([fault, times]) => `${times} × ${fault}`).join(', ')}`,
      isMet: delivered.every(([, times]) => times > 0),
    },
    {
      what: `a frozen worker resumed with outdated lookup results: ${[...outdatedNames].join(', ')}`,
      isMet: outdatedNames.size > 0,
    },
    { what: ['required incidents happened', ...missed].join('; '), isMet: missed.length === 0 },
    ...(hasMutant ? [{ what: `the mutant was used by ${users.join(', ')}`, isMet: users.length > 0 }] : []),
  ];
}
