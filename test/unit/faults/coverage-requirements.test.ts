import { describe, expect, it } from '@jest/globals';
import { RECORD_FAULTS } from '../../faults/world/record-faults.js';
import { REGISTRY_FAULTS } from '../../faults/world/registry-faults.js';
import { checkCoverage } from '../../faults/results/coverage-requirements.js';
import { INCIDENT_KINDS } from '../../faults/scenario/incidents.js';

type Given = Parameters<typeof checkCoverage>;
const delivered = (times: number) => new Map([...REGISTRY_FAULTS, ...RECORD_FAULTS].map((fault) => [fault, times]));
const happened = (incidents: number, isMissed: boolean) =>
  Array.from({ length: incidents }, () => ({ from: 0, to: 1, what: 'kill worker-1', isMissed }));

/** The requirements that a sufficient run misses after these changes. */
function missing({
  changes = 50,
  recordChanges = 12,
  refusals = 6,
  denied = 10,
  deniedOnce = 4,
  faults = delivered(1),
  outdated = ['name-1.alpha'],
  incidents = INCIDENT_KINDS,
  isMissed = false,
  hasMutant = false,
}) {
  const cluster = { registries: { deliveredFaults: faults }, processes: [{ name: 'worker-1', usedMutant: false }] };
  const scenario = { changes, outdatedNames: new Set(outdated) };
  return checkCoverage(
    cluster as unknown as Given[0],
    { scenario, records: { changes: recordChanges }, checks: { refusals }, denials: { refusals: denied, deniedOnce } },
    happened(incidents, isMissed),
    hasMutant,
  )
    .filter(({ isMet }) => !isMet)
    .map(({ what }) => what);
}

describe('a run of the fault harness', () => {
  it('counts when every requirement is met', () => {
    expect(missing({})).toEqual([]);
  });

  it.each([
    ['few names changed', { changes: 49 }, 'at least 50 registry changes: 49'],
    ['a kind of incident never came', { incidents: 12 }, 'incidents of every kind: 12'],
    ['few records changed', { recordChanges: 11 }, 'at least 12 changes of registration records: 11'],
    [
      'few checks of lost names were refused',
      { refusals: 5 },
      'at least 6 checks of a lost name refused where DNS is inconclusive: 5',
    ],
    [
      'few checks of denied names were refused',
      { denied: 9 },
      'at least 10 checks refused while a registry denies what it has: 9',
    ],
    ['few names were denied for a moment', { deniedOnce: 3 }, 'at least 4 watched names denied for a moment: 3'],
    [
      'a kind of registry fault was not delivered',
      { faults: new Map([...delivered(2), ['gone', 0]] as const) },
      /0 × gone/,
    ],
    ['no frozen worker resumed with outdated results', { outdated: [] }, /^a frozen worker resumed/],
    ['a required incident did not happen', { isMissed: true }, /^required incidents happened; kill worker-1/],
    ['no process used the mutant', { hasMutant: true }, 'the mutant was used by '],
  ])('does not count when %s', (_why, run, what) => {
    expect(missing(run)).toEqual([what instanceof RegExp ? expect.stringMatching(what) : what]);
  });
});
