import { join } from 'node:path';
import { Redis } from 'ioredis';
import { TcpProxy } from '../../test/support/fakes/tcp-proxy.js';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import { startOnEachQueue } from '../queues.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { Watcher } from '../watch/watcher.js';

const NAMES = 4_000;
/** What each statement takes longer; milliseconds. */
const DELAYS_MS = [10, 100];
const PAUSE_SECONDS = 1;

/** Names that are due while the servers around the service are slow. A round with a name that is lost never ends. */
export const suite: Suite = {
  name: 'slow-servers',
  about:
    'names checked and recorded while each statement to PostgreSQL takes longer, against the same without delay, and ' +
    'how much longer they take when Redis pauses meanwhile',
  measure: withCleanup(measure),
};

interface SlowService {
  readonly watcher: Watcher;
  readonly proxy: TcpProxy;
  /** null: the queue is in PostgreSQL. */
  readonly redisUrl: string | null;
  close(): Promise<void>;
}

async function measure({ rounds }: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const registry = await startChild(
    ['--import', './scripts/typescript.mjs', join(import.meta.dirname, '../watch/registry.ts')],
    {},
  );
  closing.push(() => registry.close());
  const services = await startOnEachQueue(closing, (url, env) => startBehindProxy(url, registry.address, env));
  const figures: Figure[] = [];
  for (const [queue, service] of services) {
    await service.watcher.watch(NAMES);
    await service.watcher.checkDueNames(NAMES);
    figures.push(...(await measureDelays(queue, service, rounds)));
    if (service.redisUrl !== null) figures.push(await measurePause(service, service.redisUrl, rounds));
  }
  return figures;
}

async function startBehindProxy(
  databaseUrl: string,
  registry: string,
  env: Record<string, string>,
): Promise<SlowService> {
  const url = new URL(databaseUrl);
  const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const watcher = await Watcher.start(url.href, registry, env);
  const close = async () => {
    await watcher.close();
    await proxy.close();
  };
  return { watcher, proxy, redisUrl: env['REDIS_URL'] ?? null, close };
}

async function measureDelays(queue: string, { watcher, proxy }: SlowService, rounds: number): Promise<Figure[]> {
  const rates = new Map<number, number[]>([0, ...DELAYS_MS].map((delay) => [delay, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [delay, all] of rates) {
      proxy.delay(delay);
      all.push(NAMES / (await watcher.checkDueNames(NAMES)));
    }
  proxy.delay(0);
  const direct = rates.get(0) ?? [];
  return DELAYS_MS.map((delay) => {
    const all = rates.get(delay) ?? [];
    return {
      what: `${queue}, ${delay} ms a statement`,
      unit: 'names/s',
      ours: Math.round(median(all)),
      baseline: Math.round(median(direct)),
      ratio: rounded(median(all.map((rate, round) => rate / (direct[round] ?? NaN)))),
      besides: { rounds },
    };
  });
}

async function measurePause({ watcher }: SlowService, redisUrl: string, rounds: number): Promise<Figure> {
  const redis = new Redis(redisUrl);
  const more: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const usual = await watcher.checkDueNames(NAMES);
      await redis.call('client', 'pause', String(PAUSE_SECONDS * 1_000), 'all');
      more.push((await watcher.checkDueNames(NAMES)) - usual);
    }
  } finally {
    redis.disconnect();
  }
  const [ours, what] = [rounded(median(more)), `on redis, which pauses for ${PAUSE_SECONDS} s`];
  const against = { baseline: PAUSE_SECONDS, ratio: rounded(ours / PAUSE_SECONDS) };
  return { what, unit: 's longer', ours, ...against, besides: { rounds } };
}
