import { startScript } from '../child.js';
import { median } from '../comparison.js';
import { startQueues } from '../queues.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { watchedEntries } from '../watched-entries.js';
import { LatenessProbe } from './lateness.js';

const NAMES = 200_000;
/** Enough for the full rate; it is measured at once, and not for seconds. */
const FULL_RATE_NAMES = 20_000;
const MIN_SECONDS = 30;

/** Measures from the instant at which a name falls due to the commit of its check, at half of the full rate. */
export const suite: Suite = {
  name: 'lag',
  about: 'how late checks are recorded when names fall due evenly, at half the full rate of one process per core',
  limitSeconds: 900,
  measure,
};

async function measure({ rounds, seconds, sizes, keep }: RunOptions): Promise<Figure[]> {
  const registry = await startScript('watch/registry.ts');
  const watched = sizes?.[0] ?? NAMES;
  const url = await seededPostgres(watchedEntries(watched), keep, { track_commit_timestamp: 'on' });
  const figures: Figure[] = [];
  for (const [name, env] of await startQueues()) {
    console.error(`${name}: ${watched} names`);
    const service = await LatenessProbe.start(url, registry.address, env);
    figures.push(await measureLag(name, service, { rounds, seconds: Math.max(seconds, MIN_SECONDS), watched }));
    await service.stop();
  }
  return figures;
}

async function measureLag(
  name: string,
  service: LatenessProbe,
  { rounds, seconds, watched }: { rounds: number; seconds: number; watched: number },
): Promise<Figure> {
  await service.fullRate(2_000); // the first ones find everything cold
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    rates.push(await service.fullRate(Math.min(FULL_RATE_NAMES, watched)));
  const half = Math.floor(median(rates) / 2);
  if (half * seconds > watched) throw new Error(`${half * seconds} names are needed: --sizes`);
  const lags = await service.measureLateness(half, seconds);
  if (lags.length !== half * seconds) throw new Error(`${lags.length} of ${half * seconds} checks were recorded`);
  const at = (part: number) => Math.round(lags[Math.floor((lags.length - 1) * part)] ?? NaN);
  return {
    what: `${name}, 99 of 100`,
    unit: 'ms',
    ours: at(0.99),
    baseline: null,
    ratio: null,
    besides: { p50: at(0.5), worst: at(1), 'names/s': half, 'at full load': Math.round(median(rates)), seconds },
  };
}
