import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { createPostgresBackend, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { Config } from '../../config.js';

/** Each queue and each worker owns a pool; three connections are as fast as ten. */
const POOL = 3;

/**
 * BullMQ on Redis when there is one, else on the service's own PostgreSQL. A queue here is a doorbell: jobs carry
 * ids, and every job may be lost without losing anything but time.
 */
@Module({})
export class QueueModule {
  static forRoot(): DynamicModule {
    const shared = BullModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => {
        // @nestjs/bullmq has no option for the backend; this default reaches its queues, workers and listeners.
        if (config.redisUrl === null) setDefaultBackendFactory(createPostgresBackend);
        else setDefaultBackendFactory();
        return { connection: workerConnection(config) };
      },
    });
    return { module: QueueModule, imports: [shared] };
  }

  /** A queue to ring. Ringing fails at once when the store is away; nobody may wait for a doorbell. */
  static queue(name: string): DynamicModule {
    return BullModule.registerQueueAsync({
      name,
      inject: [Config],
      useFactory: (config: Config): QueueOptions => ({
        connection: producerConnection(config),
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
      }),
    });
  }
}

type Connection = QueueOptions['connection'];

function workerConnection(config: Config): Connection {
  // A worker waits for Redis to come back for as long as that takes.
  return config.redisUrl === null ? postgres(config) : { url: config.redisUrl, maxRetriesPerRequest: null };
}

function producerConnection(config: Config): Connection {
  if (config.redisUrl === null) return postgres(config);
  return { url: config.redisUrl, maxRetriesPerRequest: 1, enableOfflineQueue: false };
}

/** BullMQ types its connection for Redis only; the PostgreSQL backend takes these. */
function postgres(config: Config): Connection {
  return { connectionString: config.databaseUrl, schema: 'bullmq', max: POOL };
}
