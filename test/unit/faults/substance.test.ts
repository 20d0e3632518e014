import { describe, expect, it } from '@jest/globals';
import { LIES } from '../../../faults/lies.js';
import { substanceOf } from '../../../faults/substance.js';

type Given = Parameters<typeof substanceOf>;
const told = (times: number) => new Map(LIES.map((lie) => [lie, times]));
const happened = (isMissed: boolean) => [{ from: 0, to: 1, what: 'kill worker-1', isMissed }];

/** A run that had all it takes, but for what is said otherwise. */
function missing({ changes = 50, lies = told(1), outdated = ['name-1.alpha'], isMissed = false, isBroken = false }) {
  const stage = { registries: { told: lies }, members: [{ name: 'worker-1', usedBrokenPart: false }] };
  const story = { changes, outdated: new Set(outdated) };
  return substanceOf(stage as unknown as Given[0], story, happened(isMissed), isBroken)
    .filter(({ isEnough }) => !isEnough)
    .map(({ what }) => what);
}

describe('a run', () => {
  it('proves something when there was enough to go wrong', () => {
    expect(missing({})).toEqual([]);
  });

  it.each([
    ['little changed', { changes: 49 }, 'at least 50 changes of truth: 49'],
    ['a kind of lie was told to nobody', { lies: new Map([...told(2), ['gone', 0]] as const) }, /0 × gone/],
    ['nobody woke up with old looks in hand', { outdated: [] }, /^looks were out of date/],
    ['what had to happen could not be made to', { isMissed: true }, 'what has to happen happened; kill worker-1'],
    ['nothing used what is broken on purpose', { isBroken: true }, 'what is broken was used by '],
  ])('proves nothing when %s', (_why, run, what) => {
    expect(missing(run)).toEqual([what instanceof RegExp ? expect.stringMatching(what) : what]);
  });
});
