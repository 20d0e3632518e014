import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from 'undici';
import { rounded, spread } from '../comparison.js';
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
  const [with_, without]: [number[][], number[][]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await sender.delays(EVENTS));
    await sender.hang();
    while ((await receivers.seen(agent)).hanging < UNDER_WAY) await pause(50);
    with_.push(await sender.delays(EVENTS));
    await sender.forgetHanging();
    await receivers.forget(agent); // which answers those that hang
  }
  const ratios = with_.map((delays, round) => percentile95(delays) / percentile95(without[round] ?? []));
  // of all rounds together: in a single one chance decides how long its events wait for the next claim
  const [ours, baseline] = [percentile95(with_.flat()), percentile95(without.flat())];
  return {
    what: `${name}, 95 of 100 beside receivers that hang`,
    unit: 'ms',
    ours: Math.round(ours),
    baseline: Math.round(baseline),
    ratio: rounded(ours / baseline),
    besides: { hanging: UNDER_WAY, ...spread(ratios), rounds },
  };
}

function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? NaN;
}
