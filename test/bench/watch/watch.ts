import { availableParallelism } from 'node:os';
import type { Order } from '../checks/loops.js';
import { startCommandChild } from '../child.js';
import { closeAll } from '../cleanup.js';
import { median, type Round as LoadRound, rounded, runBoth } from '../comparison.js';
import { databaseFor } from '../postgres.js';
import { startOnEachQueue } from '../queues.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { BareLoops } from './bare-loops.js';
import { type Registry, startRegistry } from './registries.js';
import { Watcher } from './watcher.js';

const NAMES = 40_000;

/** Names that are due, from the claim to the recorded check; nothing changes at their registry. */
export const suite: Suite = {
  name: 'watch',
  about:
    'names checked and recorded, one process for each core, against a bare loop that claims, asks, compares and ' +
    'writes, and against undici alone; all on the same machine',
  limitSeconds: 900, // four minutes on two quick cores
  measure: async (plan) => {
    const overHttp = await measure('HTTP', plan);
    await closeAll();
    return [...overHttp, ...(await measure('TLS 1.3', plan))];
  },
};

interface Contestant {
  /** @returns seconds */
  checkDueNames(names: number): Promise<number>;
}

/** Names a second. */
interface Round {
  readonly ours: number;
  readonly baseline: number;
}

async function measure(over: 'HTTP' | 'TLS 1.3', plan: RunOptions): Promise<Figure[]> {
  const registry = await startRegistry(over);
  const { watchers, loops } = await startContestants(registry);
  const alone =
    over === 'HTTP'
      ? await startCommandChild<Order, LoadRound>('checks/loops.ts', { REGISTRY: registry.address })
      : null;
  const rounds = new Map([...watchers.keys()].map((queue): [string, Round[]] => [queue, []]));
  const undici: number[] = [];
  for (let nth = 0; nth < plan.rounds; nth += 1) {
    const names = Math.min(NAMES, 10_000 * plan.seconds);
    for (const [queue, watcher] of watchers) rounds.get(queue)?.push(await race(nth, watcher, loops, names));
    if (alone) undici.push((await alone.run({ loop: 'undici', seconds: plan.seconds })).rate);
  }
  return [...rounds].flatMap(([queue, all]) => [
    figureOf(`${queue}, over ${over}`, all),
    ...(alone ? [figureOf(`${queue}, to undici alone`, against(undici, all))] : []),
  ]);
}

async function startContestants(registry: Registry) {
  let server = '';
  const watchers = await startOnEachQueue((databaseUrl, env) => {
    server = databaseUrl;
    return Watcher.start(databaseUrl, registry.address, { ...env, ...registry.trust }, availableParallelism());
  });
  const loops = await BareLoops.start(await databaseFor('bare_loop', server), registry.address, registry.trust);
  for (const contestant of [...watchers.values(), loops]) {
    await contestant.watch(NAMES);
    await contestant.checkDueNames(NAMES); // until the code is compiled: a watcher runs for months
  }
  return { watchers, loops };
}

function race(nth: number, ours: Contestant, baseline: Contestant, names: number): Promise<Round> {
  return runBoth(nth, { ours, baseline }, async (contestant) => names / (await contestant.checkDueNames(names)));
}

function against(baseline: readonly number[], rounds: readonly Round[]): Round[] {
  return rounds.map(({ ours }, nth) => ({ ours, baseline: baseline[nth] ?? NaN }));
}

function figureOf(what: string, rounds: readonly Round[]): Figure {
  const ours = rounds.map((round) => round.ours);
  return {
    what,
    unit: 'names/s',
    ours: Math.round(median(ours)),
    baseline: Math.round(median(rounds.map(({ baseline }) => baseline))),
    ratio: rounded(median(rounds.map((round) => round.ours / round.baseline))),
    besides: { lowest: Math.round(Math.min(...ours)), highest: Math.round(Math.max(...ours)), rounds: ours.length },
  };
}
