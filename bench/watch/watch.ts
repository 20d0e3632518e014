import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { startLookupLoops } from '../checks/lookup-loops.js';
import { median, rounded } from '../comparison.js';
import { startOnEachQueue } from '../queues.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { Watcher } from './watcher.js';

const NAMES = 20_000;

/** Names that are due, from the claim to the recorded check; nothing changes at their registry. */
export const suite: Suite = {
  name: 'watch',
  about: 'names checked and recorded, one process for each core, against undici alone; all on the same machine',
  measure: withCleanup(measure),
};

async function measure({ rounds, seconds }: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const registry = await startChild(['--import', 'tsx', join(import.meta.dirname, 'registry.ts')], {});
  closing.push(() => registry.close());
  const loops = await startLookupLoops(registry.address);
  closing.push(() => loops.close());
  const watchers = await startOnEachQueue(closing, (databaseUrl, env) =>
    Watcher.start(databaseUrl, registry.address, env, availableParallelism()),
  );
  const rates = new Map<string, number[]>();
  const raw: number[] = [];
  for (const [name, watcher] of watchers) {
    await watcher.watch(NAMES);
    await watcher.checkDueNames(2_000);
    rates.set(name, []);
  }
  for (let round = 0; round < rounds; round += 1) {
    const names = Math.min(NAMES, 5_000 * seconds);
    for (const [name, watcher] of watchers) rates.get(name)?.push(names / (await watcher.checkDueNames(names)));
    raw.push((await loops.run('undici', seconds)).rate);
  }
  return [...rates].map(([what, all]) => figureOf(what, all, raw));
}

function figureOf(what: string, all: readonly number[], raw: readonly number[]): Figure {
  const [ours, baseline] = [median(all), median(raw)];
  const besides = { lowest: Math.round(Math.min(...all)), highest: Math.round(Math.max(...all)), rounds: all.length };
  const rates = { ours: Math.round(ours), baseline: Math.round(baseline), ratio: rounded(ours / baseline) };
  return { what, unit: 'names/s', ...rates, besides };
}
