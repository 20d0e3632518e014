import { join } from 'node:path';
import { startChild } from '../child.js';
import { type Closing, closingAfter } from '../closing.js';
import { median } from '../contest.js';
import { onQueues } from '../queues.js';
import type { Figure, Plan, Suite } from '../suite.js';
import { Punctuality } from './punctuality.js';

const NAMES = 200_000;
/** Enough for the full rate; it is measured at once, and not for seconds. */
const AT_ONCE = 20_000;
const AT_LEAST = 30;

/** From the instant at which a name falls due to the commit that has its look, at half of what the processes can do. */
export const suite: Suite = {
  name: 'lag',
  about:
    'how late looks are recorded when names fall due evenly, half as many a second as one process for each core can look at',
  measure: closingAfter(measure),
};

async function measure({ rounds, seconds, sizes }: Plan, closing: Closing): Promise<Figure[]> {
  const registry = await startChild(['--import', 'tsx', join(import.meta.dirname, '../watch/registry.ts')], {});
  closing.push(() => registry.close());
  const watched = sizes?.[0] ?? NAMES;
  const services = await onQueues(
    closing,
    (databaseUrl, env) => Punctuality.start(watched, databaseUrl, registry.address, env),
    { track_commit_timestamp: 'on' },
  );
  const figures: Figure[] = [];
  for (const [name, service] of services)
    figures.push(await lagOf(name, service, { rounds, seconds: Math.max(seconds, AT_LEAST), watched }));
  return figures;
}

async function lagOf(
  name: string,
  service: Punctuality,
  { rounds, seconds, watched }: { rounds: number; seconds: number; watched: number },
): Promise<Figure> {
  await service.fullRate(2_000); // the first ones find everything cold
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) rates.push(await service.fullRate(Math.min(AT_ONCE, watched)));
  const half = Math.floor(median(rates) / 2);
  if (half * seconds > watched) throw new Error(`${half * seconds} names are needed: --sizes`);
  const lags = await service.lags(half, seconds);
  if (lags.length !== half * seconds) throw new Error(`${lags.length} of ${half * seconds} looks were recorded`);
  const at = (part: number) => Math.round(lags[Math.floor((lags.length - 1) * part)] ?? NaN);
  return {
    ...{ what: `${name}, 99 of 100`, unit: 'ms', ours: at(0.99), baseline: null, ratio: null },
    besides: { p50: at(0.5), worst: at(1), 'names/s': half, 'at full load': Math.round(median(rates)), seconds },
  };
}
