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
import { QueueConfig } from '../../config/sections.js';
import { Readiness } from '../readiness.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { QueueProducer, queueProducerToken } from './queue-producer.js';
import type { QueueName } from './queue-names.js';

/** The claiming task waits for it. PostgreSQL creates its tables first. */
const COMMAND_TIMEOUT_MS = { redis: 5_000, postgres: 30_000 };

/**
 * A silent connection is replaced: without this a worker waits a quarter of an hour for the kernel to give up. A worker
 * blocks on Redis for ten seconds at most.
 */
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** A hanging statement, or a process stopped within a transaction, releases its locks. */
const POSTGRES_TIMEOUTS = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 5_000 };

/** Per queue and per worker; three connections are as fast as ten. */
const POOL_SIZE = 3;

/** Reconnects at random intervals without backing off: a long outage ends as quickly as a short one. */
const redisRetryDelayMs = () => 500 + Math.random() * 500;

type Connection = QueueOptions['connection'];

/**
 * BullMQ on Redis when configured, else on the service's PostgreSQL. Jobs only wake workers and carry ids: losing one
 * costs time, nothing else.
 */
@Module({})
export class QueueModule {
  static forRoot(): DynamicModule {
    const workers = BullModule.forRootAsync({
      inject: [QueueConfig],
      useFactory: (config: QueueConfig) => {
        // @nestjs/bullmq has no option for the backend; this default reaches its workers.
        setDefaultBackendFactory(config.redisUrl === null ? createPostgresBackend : undefined);
        // Workers retry for as long as Redis is unavailable.
        const redis = { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS };
        return { connection: connectionOptions(config, redis, { query_timeout: SOCKET_TIMEOUT_MS }) };
      },
    });
    return { module: QueueModule, imports: [workers, BullModule.registerQueue()] };
  }

  /** The producer of a queue, for the module that enqueues its jobs. */
  static producer(name: QueueName): DynamicModule {
    const producer = {
      provide: queueProducerToken(name),
      inject: [QueueConfig, Readiness, RedisConnection],
      useFactory: async (config: QueueConfig, readiness: Readiness, redis: RedisConnection) => {
        const queue = createQueue(name, config);
        const producer = new QueueProducer(queue, config.redisUrl === null ? 'PostgreSQL' : 'Redis');
        if (config.redisUrl === null) await queue.waitUntilReady(); // see QueueWorker
        readiness.add('queue', async () => void (await Promise.all([producer.probe(), redis.probe()])));
        return producer;
      },
    };
    return { module: QueueModule, providers: [producer], exports: [producer] };
  }
}

function createQueue(name: string, config: QueueConfig): Queue {
  const backend = (config.redisUrl === null ? createPostgresBackend : createRedisBackend) as BackendFactory;
  // Unlike a worker's connection it must never wait for Redis.
  const timeouts = { commandTimeout: COMMAND_TIMEOUT_MS.redis, socketTimeout: 2 * COMMAND_TIMEOUT_MS.redis };
  const redis = { maxRetriesPerRequest: 1, enableOfflineQueue: false, ...timeouts };
  const connection = connectionOptions(config, redis, { query_timeout: COMMAND_TIMEOUT_MS.postgres });
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  return new Queue(name, { connection, defaultJobOptions }, backend as never);
}

/** BullMQ types connections for Redis only; the PostgreSQL backend takes a connection string and pool options. */
function connectionOptions({ redisUrl, databaseUrl, role }: QueueConfig, redis: object, postgres: object): Connection {
  if (redisUrl !== null)
    return { url: redisUrl, retryStrategy: redisRetryDelayMs, connectTimeout: CONNECT_TIMEOUT_MS, ...redis };
  const pool = { max: POOL_SIZE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  const session = { application_name: `namewatch ${role} queue`, ...POSTGRES_TIMEOUTS };
  return { connectionString: databaseUrl, schema: 'bullmq', ...pool, ...session, ...postgres };
}
