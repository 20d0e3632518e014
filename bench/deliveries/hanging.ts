import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from 'undici';
import { median, rounded, spread } from '../comparison.js';
import type { Figure } from '../suite.js';
import type { Receivers } from './receivers.js';
import type { Sender } from './sender.js';

/** Each to a hundred channels. */
const EVENTS = 5;
/** One in five of all hosts, with all places that they have. */
const UNDER_WAY = 25;

/** How long others wait while receivers hang, against how long when none does; in turns. */
export async function besideHanging(
  name: string,
  rounds: number,
  { receivers, sender, agent }: { receivers: Receivers; sender: Sender; agent: Agent },
): Promise<Figure> {
  const [with_, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await sender.delay(EVENTS));
    await sender.hang();
    while ((await receivers.seen(agent)).hanging < UNDER_WAY) await pause(50);
    with_.push(await sender.delay(EVENTS));
    await sender.forgetHanging();
    await receivers.forget(agent); // which answers those that hang
  }
  const ratios = with_.map((delay, round) => delay / (without[round] ?? NaN));
  return {
    what: `${name}, 95 of 100 beside receivers that hang`,
    unit: 'ms',
    ours: Math.round(median(with_)),
    baseline: Math.round(median(without)),
    ratio: rounded(median(ratios)),
    besides: { hanging: UNDER_WAY, ...spread(ratios), rounds },
  };
}
