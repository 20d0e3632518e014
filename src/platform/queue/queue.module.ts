import { type DynamicModule, Module } from '@nestjs/common';
import { QueueConfig } from '../../config/sections.js';
import { Readiness } from '../readiness.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { createQueue } from './queue-backend.js';
import { QueueMetrics } from './queue-metrics.js';
import { QueueProducer, queueProducerToken } from './queue-producer.js';
import type { QueueName } from './queue-names.js';
import { WorkerFactory } from './worker-factory.js';

/**
 * BullMQ on Redis when configured, else on the service's PostgreSQL. Jobs only wake workers and carry ids: losing one
 * costs time, nothing else.
 */
@Module({})
export class QueueModule {
  /** A queue's producer, and what starts its workers, for the module whose jobs they are. */
  static forQueue(name: QueueName): DynamicModule {
    const producer = {
      provide: queueProducerToken(name),
      inject: [QueueConfig, Readiness, RedisConnection, QueueMetrics],
      useFactory: (config: QueueConfig, readiness: Readiness, redis: RedisConnection, metrics: QueueMetrics) => {
        const queue = createQueue(name, config);
        const producer = new QueueProducer(queue, config.redisUrl === null ? 'PostgreSQL' : 'Redis');
        readiness.add('queue', async () => void (await Promise.all([producer.probe(), redis.probe()])));
        metrics.add(name, producer);
        return producer;
      },
    };
    return { module: QueueModule, providers: [producer, WorkerFactory], exports: [producer, WorkerFactory] };
  }
}
