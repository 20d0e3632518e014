import type { InjectedFault } from '../scenario/fault-injector.js';
import { INCIDENT_KINDS } from '../scenario/incidents.js';
import type { Cluster } from '../cluster/cluster.js';
import type { CheckScenario } from '../scenario/check-scenario.js';
import type { DenialScenario } from '../scenario/denial-scenario.js';
import type { RecordScenario } from '../scenario/record-scenario.js';
import type { Scenario } from '../scenario/scenario.js';

/** An event that a run needs for its result to mean anything. */
export interface CoverageRequirement {
  readonly what: string;
  readonly isMet: boolean;
}

const MIN_CHANGES = 50;
const MIN_RECORD_CHANGES = 12;
/** Each of them takes a second, or three where the zone is silent. */
const MIN_REFUSALS = 6;
/** One denial of one TLD refuses as many. */
const MIN_DENIALS = 10;
const MIN_DENIED_ONCE = 4;

/** The happenings of a run. */
interface Scenarios {
  readonly scenario: Scenario;
  readonly records: RecordScenario;
  readonly checks: CheckScenario;
  readonly denials: DenialScenario;
}

export function checkCoverage(
  { registries, processes }: Cluster,
  { scenario: { changes, outdatedNames }, records: { changes: recordChanges }, checks, denials }: Scenarios,
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
      what: `at least ${MIN_REFUSALS} checks of a lost name refused where DNS is inconclusive: ${checks.refusals}`,
      isMet: checks.refusals >= MIN_REFUSALS,
    },
    {
      what: `at least ${MIN_DENIALS} checks refused while a registry denies what it has: ${denials.refusals}`,
      isMet: denials.refusals >= MIN_DENIALS,
    },
    {
      what: `at least ${MIN_DENIED_ONCE} watched names denied for a moment: ${denials.deniedOnce}`,
      isMet: denials.deniedOnce >= MIN_DENIED_ONCE,
    },
    {
      what: `registry faults of every kind were delivered: ${delivered.map(([fault, times]) => `${times} × ${fault}`).join(', ')}`,
      isMet: delivered.every(([, times]) => times > 0),
    },
    {
      what: `a frozen worker resumed with outdated lookup results: ${[...outdatedNames].join(', ')}`,
      isMet: outdatedNames.size > 0,
    },
    { what: `incidents of every kind: ${injected.length}`, isMet: injected.length >= INCIDENT_KINDS },
    { what: ['required incidents happened', ...missed].join('; '), isMet: missed.length === 0 },
    ...(hasMutant ? [{ what: `the mutant was used by ${users.join(', ')}`, isMet: users.length > 0 }] : []),
  ];
}
