import { join } from 'node:path';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median } from '../comparison.js';
import { Receivers } from '../deliveries/receivers.js';
import { Sender } from '../deliveries/sender.js';
import { startOnEachQueue } from '../queues.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { Watcher } from '../watch/watcher.js';
import { startListPages } from './list-pages.js';
import { type ProcessorTime, readProcessorTime } from './processor-time.js';

const NAMES = 20_000;
const DELIVERIES_PER_SECOND = 1_000;

/** Does some of the work. @returns how much */
type Work = (seconds: number) => Promise<number>;

/** Processor time of each part for one unit of work, at full load. Only one queue is at work at a time. */
export const suite: Suite = {
  name: 'costs',
  about:
    'the processor time of the service, of PostgreSQL and of Redis for one name, one webhook attempt and one list page',
  measure: async (plan) => [
    ...(await measureNames(plan)),
    ...(await measureDeliveries(plan)),
    ...(await measureListPages(plan)),
  ],
};

const measureNames = withCleanup(async (plan: RunOptions, closing: CleanupStack) => {
  const registry = await startChild(
    ['--import', './scripts/typescript.mjs', join(import.meta.dirname, '../watch/registry.ts')],
    {},
  );
  closing.push(() => registry.close());
  const watchers = await startOnEachQueue(closing, (url, env) => Watcher.start(url, registry.address, env));
  const figures: Figure[] = [];
  for (const [queue, watcher] of watchers) {
    await watcher.watch(NAMES);
    const work: Work = async (seconds) => {
      const names = Math.min(NAMES, 3_000 * seconds);
      await watcher.checkDueNames(names);
      return names;
    };
    figures.push(await measureCost(`a name checked, ${queue}`, work, plan));
  }
  return figures;
});

const measureDeliveries = withCleanup(async (plan: RunOptions, closing: CleanupStack) => {
  const receivers = await Receivers.start();
  closing.push(() => receivers.close());
  const senders = await startOnEachQueue(closing, (url, env) => Sender.start(url, receivers, env));
  const figures: Figure[] = [];
  for (const [queue, sender] of senders) {
    const work: Work = async (seconds) => {
      await sender.deliver(DELIVERIES_PER_SECOND * seconds);
      return DELIVERIES_PER_SECOND * seconds;
    };
    figures.push(await measureCost(`a webhook attempt, ${queue}`, work, plan));
  }
  return figures;
});

const measureListPages = withCleanup(async (plan: RunOptions, closing: CleanupStack) => [
  await measureCost('a list page of 20', await startListPages(closing), plan),
]);

async function measureCost(what: string, work: Work, { rounds, seconds }: RunOptions): Promise<Figure> {
  await work(1);
  const costs: (ProcessorTime & { readonly rate: number })[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [before, began] = [readProcessorTime(), performance.now()];
    const units = await work(seconds);
    const [after, took] = [readProcessorTime(), performance.now() - began];
    const perUnit = (part: keyof ProcessorTime) => (after[part] - before[part]) / units;
    const cost = { service: perUnit('service'), postgresql: perUnit('postgresql'), redis: perUnit('redis') };
    costs.push({ ...cost, rate: (units * 1_000) / took });
  }
  const of = (part: keyof ProcessorTime | 'rate') => Math.round(median(costs.map((cost) => cost[part])) * 10) / 10;
  return {
    what,
    unit: 'µs of the service',
    ours: of('service'),
    baseline: null,
    ratio: null,
    besides: {
      'µs of PostgreSQL': of('postgresql'),
      'µs of Redis': of('redis'),
      'a second': Math.round(of('rate')),
      rounds,
    },
  };
}
