import { availableParallelism } from 'node:os';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { startLookupLoops } from '../checks/lookup-loops.js';
import { median, rounded } from '../comparison.js';
import { databaseFor, startOnEachQueue } from '../queues.js';
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
  measure: async (plan) => [
    ...(await withCleanup((_, closing) => measure('HTTP', plan, closing))(plan)),
    ...(await withCleanup((_, closing) => measure('TLS 1.3', plan, closing))(plan)),
  ],
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

async function measure(over: 'HTTP' | 'TLS 1.3', plan: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const registry = await startRegistry(over, closing);
  const { watchers, loops } = await startContestants(registry, closing);
  const alone = over === 'HTTP' ? await startLookupLoops(registry.address) : null;
  if (alone) closing.push(() => alone.close());
  const rounds = new Map([...watchers.keys()].map((queue): [string, Round[]] => [queue, []]));
  const undici: number[] = [];
  for (let nth = 0; nth < plan.rounds; nth += 1) {
    const names = Math.min(NAMES, 10_000 * plan.seconds);
    for (const [queue, watcher] of watchers) rounds.get(queue)?.push(await race(watcher, loops, names, nth % 2 === 0));
    if (alone) undici.push((await alone.run('undici', plan.seconds)).rate);
  }
  return [...rounds].flatMap(([queue, all]) => [
    figureOf(`${queue}, over ${over}`, all),
    ...(alone ? [figureOf(`${queue}, to undici alone`, against(undici, all))] : []),
  ]);
}

async function startContestants(registry: Registry, closing: CleanupStack) {
  let server = '';
  const watchers = await startOnEachQueue(closing, (databaseUrl, env) => {
    server = databaseUrl;
    return Watcher.start(databaseUrl, registry.address, { ...env, ...registry.trust }, availableParallelism());
  });
  const loops = await BareLoops.start(await databaseFor('bare_loop', server), registry.address, registry.trust);
  closing.push(() => loops.close());
  for (const contestant of [...watchers.values(), loops]) {
    await contestant.watch(NAMES);
    await contestant.checkDueNames(NAMES); // until the code is compiled: a watcher runs for months
  }
  return { watchers, loops };
}

/** One after the other; the order alternates, since the second one finds a warmer machine. */
async function race(ours: Contestant, baseline: Contestant, names: number, isOursFirst: boolean): Promise<Round> {
  const first = names / (await (isOursFirst ? ours : baseline).checkDueNames(names));
  const second = names / (await (isOursFirst ? baseline : ours).checkDueNames(names));
  return isOursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first };
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
