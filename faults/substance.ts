import type { Happened } from './mischief.js';
import type { Stage } from './stage.js';
import type { Story } from './story.js';

/** Something without which a run proves nothing, however little breaks in it. */
export interface Substance {
  readonly what: string;
  readonly isEnough: boolean;
}

const ENOUGH_CHANGES = 50;

/** Whether there was anything to be lost, invented or told twice. */
export function substanceOf(
  { registries, members }: Pick<Stage, 'registries' | 'members'>,
  { changes, outdated }: Pick<Story, 'changes' | 'outdated'>,
  happened: readonly Happened[],
  isBroken: boolean,
): Substance[] {
  const told = [...registries.told];
  const missed = happened.filter(({ isMissed }) => isMissed).map(({ what }) => what);
  const users = members.filter(({ usedBrokenPart }) => usedBrokenPart).map(({ name }) => name);
  return [
    { what: `at least ${ENOUGH_CHANGES} changes of truth: ${changes}`, isEnough: changes >= ENOUGH_CHANGES },
    {
      what: `lies of every kind were told: ${told.map(([lie, times]) => `${times} × ${lie}`).join(', ')}`,
      isEnough: told.every(([, times]) => times > 0),
    },
    {
      what: `looks were out of date when whoever had them in hand woke up: ${[...outdated].join(', ')}`,
      isEnough: outdated.size > 0,
    },
    { what: ['what has to happen happened', ...missed].join('; '), isEnough: missed.length === 0 },
    ...(isBroken ? [{ what: `what is broken was used by ${users.join(', ')}`, isEnough: users.length > 0 }] : []),
  ];
}
