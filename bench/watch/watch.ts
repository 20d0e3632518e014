import { join } from 'node:path';
import { startChild } from '../child.js';
import { median } from '../contest.js';
import { onQueues } from '../queues.js';
import type { Figure, Plan, Suite } from '../suite.js';
import { Watcher } from './watcher.js';

const NAMES = 20_000;

/** Names that are due, from the claim to the look that is written down; nothing has changed at their registry. */
export const suite: Suite = {
  name: 'watch',
  about: 'names looked at and recorded by one process, with registry, database and queue on the same machine',
  measure: async (plan) => {
    const closing: (() => Promise<void>)[] = [];
    try {
      return await measure(plan, closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

async function measure({ rounds, seconds }: Plan, closing: (() => Promise<void>)[]): Promise<Figure[]> {
  const registry = await startChild(['--import', 'tsx', join(import.meta.dirname, '../checks/registry.ts')], {});
  closing.push(() => registry.close());
  const watchers = await onQueues(closing, (databaseUrl, env) => Watcher.start(databaseUrl, registry.address, env));
  const rates = new Map<string, number[]>();
  for (const [name, watcher] of watchers) {
    await watcher.watch(NAMES);
    rates.set(name, []);
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, watcher] of watchers) {
      const names = round === 0 ? 2_000 : Math.min(NAMES, 5_000 * seconds);
      const rate = names / (await watcher.look(names));
      if (round > 0) rates.get(name)?.push(rate);
    }
  }
  return [...rates].map(([name, all]) => ({
    what: name,
    unit: 'names/s',
    ours: Math.round(median(all)),
    baseline: null,
    ratio: null,
    besides: { lowest: Math.round(Math.min(...all)), highest: Math.round(Math.max(...all)), rounds },
  }));
}
