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
import { Doorbell, doorbellToken } from './queue-producer.js';
import type { QueueName } from './queue-names.js';

/** What a store may take to hear the bell, milliseconds: a tick waits for it. PostgreSQL makes its tables first. */
const PATIENCE = { redis: 5_000, postgres: 30_000 };

/**
 * A connection that says nothing for so long is left for a new one, milliseconds: without that a worker waits a quarter
 * of an hour, until the kernel gives up. A worker asks Redis for a job for ten seconds at most.
 */
const SILENCE = 30_000;
const CONNECTING = 10_000;

/** A statement of the queue that hangs, or a process that stops in a transaction, lets go of its locks; milliseconds. */
const TIMEOUTS = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 5_000 };

/** Each queue and each worker owns a pool; three connections are as fast as ten. */
const POOL = 3;

/** Redis is looked for all the time it is away, by no two processes in step: an hour's outage ends as a second's does. */
const redisAgain = () => 500 + Math.random() * 500;

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
        const redis = { maxRetriesPerRequest: null, socketTimeout: SILENCE };
        return { connection: connectionOf(config, redis, { query_timeout: SILENCE }) };
      },
    });
    return { module: QueueModule, imports: [workers, BullModule.registerQueue()] };
  }

  /** The doorbell of a queue, for the module whose ticks ring it. */
  static doorbell(name: QueueName): DynamicModule {
    const doorbell = {
      provide: doorbellToken(name),
      inject: [Config, Readiness, RedisConnection],
      useFactory: async (config: Config, readiness: Readiness, redis: RedisConnection) => {
        const queue = queueOf(name, config);
        const bell = new Doorbell(queue, config.redisUrl === null ? 'PostgreSQL' : 'Redis');
        if (config.redisUrl === null) await queue.waitUntilReady(); // for the reason that QueueWorker gives
        readiness.add('queue', async () => void (await Promise.all([bell.probe(), redis.probe()])));
        return bell;
      },
    };
    return { module: QueueModule, providers: [doorbell], exports: [doorbell] };
  }
}

function queueOf(name: string, config: Config): Queue {
  const backend = (config.redisUrl === null ? createPostgresBackend : createRedisBackend) as BackendFactory;
  // Its own connection: unlike a worker's, it must not wait for Redis, neither while it is away nor while it is silent.
  const patience = { commandTimeout: PATIENCE.redis, socketTimeout: 2 * PATIENCE.redis };
  const redis = { maxRetriesPerRequest: 1, enableOfflineQueue: false, ...patience };
  const connection = connectionOf(config, redis, { query_timeout: PATIENCE.postgres });
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  return new Queue(name, { connection, defaultJobOptions }, backend as never);
}

/** BullMQ types its connection for Redis only; the PostgreSQL backend takes an address and a pool size. */
function connectionOf({ redisUrl, databaseUrl, role }: Config, redis: object, postgres: object): Connection {
  if (redisUrl !== null) return { url: redisUrl, retryStrategy: redisAgain, connectTimeout: CONNECTING, ...redis };
  const pool = { max: POOL, connectionTimeoutMillis: CONNECTING, keepAlive: true };
  const session = { application_name: `namewatch ${role} queue`, ...TIMEOUTS };
  return { connectionString: databaseUrl, schema: 'bullmq', ...pool, ...session, ...postgres };
}
