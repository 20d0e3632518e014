import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  Queue,
  type QueueOptions,
  setDefaultBackendFactory,
} from 'bullmq';
import { Config } from '../../config/config.js';
import { Readiness } from '../readiness.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { QueueProducer, queueProducerToken } from './queue-producer.js';
import type { QueueName } from './queue-names.js';

/** What a store may take to hear the bell, milliseconds: a tick waits for it. PostgreSQL makes its tables first. */
const COMMAND_TIMEOUT_MS = { redis: 5_000, postgres: 30_000 };

/**
 * A connection that says nothing for so long is left for a new one, milliseconds: without that a worker waits a quarter
 * of an hour, until the kernel gives up. A worker asks Redis for a job for ten seconds at most.
 */
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** A statement of the queue that hangs, or a process that stops in a transaction, lets go of its locks; milliseconds. */
const POSTGRES_TIMEOUTS = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 5_000 };

/** Each queue and each worker owns a pool; three connections are as fast as ten. */
const POOL_SIZE = 3;

/** Redis is looked for all the time it is away, by no two processes in step: an hour's outage ends as a second's does. */
const redisRetryDelayMs = () => 500 + Math.random() * 500;

type Connection = QueueOptions['connection'];

/**
 * BullMQ on Redis when there is one, else on the service's own PostgreSQL. A queue here is a doorbell: jobs carry
 * ids, and every job may be lost without losing anything but time.
 */
@Module({})
export class QueueModule {
  static forRoot(): DynamicModule {
    const workers = BullModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => {
        // @nestjs/bullmq has no option for the backend; this default reaches its workers.
        setDefaultBackendFactory(config.redisUrl === null ? createPostgresBackend : undefined);
        // A worker waits for Redis to come back for as long as that takes.
        const redis = { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS };
        return { connection: connectionOptions(config, redis, { query_timeout: SOCKET_TIMEOUT_MS }) };
      },
    });
    return { module: QueueModule, imports: [workers, BullModule.registerQueue()] };
  }

  /** The doorbell of a queue, for the module whose ticks ring it. */
  static producer(name: QueueName): DynamicModule {
    const producer = {
      provide: queueProducerToken(name),
      inject: [Config, Readiness, RedisConnection],
      useFactory: async (config: Config, readiness: Readiness, redis: RedisConnection) => {
        const queue = createQueue(name, config);
        const producer = new QueueProducer(queue, config.redisUrl === null ? 'PostgreSQL' : 'Redis');
        if (config.redisUrl === null) await queue.waitUntilReady(); // for the reason that QueueWorker gives
        readiness.add('queue', async () => void (await Promise.all([producer.probe(), redis.probe()])));
        return producer;
      },
    };
    return { module: QueueModule, providers: [producer], exports: [producer] };
  }
}

function createQueue(name: string, config: Config): Queue {
  const backend = (config.redisUrl === null ? createPostgresBackend : createRedisBackend) as BackendFactory;
  // Its own connection: unlike a worker's, it must not wait for Redis, neither while it is away nor while it is silent.
  const timeouts = { commandTimeout: COMMAND_TIMEOUT_MS.redis, socketTimeout: 2 * COMMAND_TIMEOUT_MS.redis };
  const redis = { maxRetriesPerRequest: 1, enableOfflineQueue: false, ...timeouts };
  const connection = connectionOptions(config, redis, { query_timeout: COMMAND_TIMEOUT_MS.postgres });
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  return new Queue(name, { connection, defaultJobOptions }, backend as never);
}

/** BullMQ types its connection for Redis only; the PostgreSQL backend takes an address and a pool size. */
function connectionOptions({ redisUrl, databaseUrl, role }: Config, redis: object, postgres: object): Connection {
  if (redisUrl !== null)
    return { url: redisUrl, retryStrategy: redisRetryDelayMs, connectTimeout: CONNECT_TIMEOUT_MS, ...redis };
  const pool = { max: POOL_SIZE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  const session = { application_name: `namewatch ${role} queue`, ...POSTGRES_TIMEOUTS };
  return { connectionString: databaseUrl, schema: 'bullmq', ...pool, ...session, ...postgres };
}
