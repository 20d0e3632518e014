import { expect, it } from '@jest/globals';
import { createRedisBackend, Queue } from 'bullmq';
import type { FaultyRedis } from '../../faults/cluster/redis.js';
import { CHECK_QUEUE } from '../../../src/platform/queue/store-queue.js';
import { eventually } from '../../support/eventually.js';
import { type OutageService, OVERDUE, type Reply, up } from './outage-service.js';
import { during, outageSuite } from './outage-suite.js';

/** When a client gives a silent Redis up, milliseconds: what a write that waits for it takes longer than others. */
const GIVEN_UP = 1_000;

type Outage = (redis: FaultyRedis, lasting: Promise<unknown>) => Promise<void>;

const outages: readonly (readonly [string, string, Outage])[] = [
  ['is killed, and started again with nothing in it', 'killed', (redis, lasting) => redis.away(lasting)],
  ['says nothing', 'silent', (redis, lasting) => redis.silent(lasting)],
  ['has no memory for anything more', 'full', (redis, lasting) => redis.full(lasting)],
];

/** @returns the median of what the answers took, milliseconds */
async function watchThree(service: OutageService, label: string): Promise<number> {
  const written: Reply[] = [];
  for (const name of [label, `${label}-2`, `${label}-3`]) written.push(await service.watch(name));
  expect(written.map(({ status }) => status)).toEqual([201, 201, 201]);
  return written.map(({ took }) => took).sort((one, other) => one - other)[1] ?? NaN;
}

outageSuite('Redis', true, (of) => {
  const redisOf = ({ redis }: OutageService) => redis as FaultyRedis;

  it.each(outages)(
    'takes what it is given while Redis %s, says what is wrong, and goes on',
    async (_, label, outage) => {
      const service = of();
      const usual = await watchThree(service, `${label}-before`);
      await during(
        (lasting) => outage(redisOf(service), lasting),
        async () => {
          await eventually(
            () => service.troubles(),
            ({ database, queue }) => database === 'ok' && queue === 'unavailable',
          );
          expect((await service.call('GET', '/readyz')).status).toBe(200); // it serves, so it stays
          // One may wait: the others find out from it. How busy the machine is shows in both.
          expect((await watchThree(service, label)) - usual).toBeLessThan(GIVEN_UP);
          await eventually(
            () => service.scrape(),
            (metrics) => metrics.get(up('queue')) === 0 && (metrics.get(OVERDUE) ?? 0) > 0,
          );
        },
      );
      await service.heals(label);
    },
  );

  it('continues when Redis loses waiting jobs', async () => {
    const service = of();
    const { hostname: host, port } = new URL(redisOf(service).url);
    // Suites share a process, whose default backend is that of the last service started in it.
    const queue = new Queue(CHECK_QUEUE, { connection: { host, port: Number(port) } }, createRedisBackend);
    await queue.pause(); // which is forgotten too
    await service.watch('flushed');
    await eventually(
      () => queue.getJobCounts('wait'),
      (counts) => Object.values(counts).some((count) => count > 0),
    );
    await redisOf(service).flush();
    await service.heals('flushed');
    await queue.close();
  });
});
