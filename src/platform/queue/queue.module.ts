import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { QueueConfig } from '../../config/sections.js';
import { includesRole } from '../../config/process-role.js';
import { type LabelledValue, Metrics } from '../metrics/metrics.js';
import { Readiness } from '../readiness.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { QUEUES, QueueStore, StoreQueue, StoreWorker } from './store-queue.js';

/** The name of our BullMQ configuration. Extensions may register queues with another configuration. */
const CONFIG_KEY = 'namewatch';

// These classes apply to every queue of the process, but change only queues that have a QueueStore.
BullModule.queueClass = StoreQueue;
BullModule.workerClass = StoreWorker;

const monitoring = {
  provide: 'queue-monitoring',
  inject: [QueueConfig, Readiness, RedisConnection, Metrics, ...QUEUES.map((name) => getQueueToken(name))],
  useFactory: (
    { role }: QueueConfig,
    readiness: Readiness,
    redis: RedisConnection,
    metrics: Metrics,
    ...queues: Queue[]
  ) => {
    const probe = (queue: Queue) => queue.getJobCounts('active');
    const check = async () => void (await Promise.all([...queues.map(probe), redis.probe()]));
    // The API can serve without the queue, because accepted work is stored in the database.
    readiness.add('queue', check, !includesRole(role, 'api'));
    const help = 'Jobs in a queue, by state. A job wakes a worker up for work that the database knows of.';
    const count = async () => (await Promise.all(queues.map(countJobs))).flat();
    metrics.gauge('namewatch_queue_jobs', help, count, ['queue', 'state']);
  },
};

async function countJobs(queue: Queue): Promise<LabelledValue[]> {
  const counts = await queue.getJobCounts('waiting', 'active');
  return Object.entries(counts).map(([state, value]) => ({ labels: { queue: queue.name, state }, value }));
}

/** A job only tells a worker to look for work in the database, so a lost job only costs time. */
@Module({
  imports: [
    BullModule.forRootAsync(CONFIG_KEY, {
      inject: [QueueConfig],
      useFactory: (config: QueueConfig) => ({
        connection: new QueueStore(config),
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
      }),
    }),
    BullModule.registerQueue(...QUEUES.map((name) => ({ name, configKey: CONFIG_KEY }))),
  ],
  providers: [monitoring],
  exports: [BullModule],
})
export class QueueModule {}
