import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type Processor,
  Queue,
  type QueueOptions,
  Worker,
} from 'bullmq';
import type { QueueConfig } from '../../config/sections.js';

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
export const QUEUE_POOL_SIZE = 3;

/** Reconnects at random intervals without backing off: a long outage ends as quickly as a short one. */
const redisRetryDelayMs = () => 500 + Math.random() * 500;

type Connection = QueueOptions['connection'];

export function createQueue(name: string, config: QueueConfig): Queue {
  // Unlike a worker's connection it must never wait for Redis.
  const timeouts = { commandTimeout: COMMAND_TIMEOUT_MS.redis, socketTimeout: 2 * COMMAND_TIMEOUT_MS.redis };
  const redis = { maxRetriesPerRequest: 1, enableOfflineQueue: false, ...timeouts };
  const connection = connectionOptions(config, redis, { query_timeout: COMMAND_TIMEOUT_MS.postgres });
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  return new Queue(name, { connection, defaultJobOptions }, chooseBackend(config));
}

/** It takes no jobs before it is run. */
export function createWorker(name: string, process: Processor, concurrency: number, config: QueueConfig): Worker {
  // Retries for as long as Redis is unavailable.
  const redis = { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS };
  const connection = connectionOptions(config, redis, { query_timeout: SOCKET_TIMEOUT_MS });
  return new Worker(name, process, { connection, concurrency, autorun: false }, chooseBackend(config));
}

/** Given to each queue and worker: BullMQ's default is one for the whole process, which may run queues of others. */
function chooseBackend({ redisUrl }: QueueConfig): never {
  const backend = (redisUrl === null ? createPostgresBackend : createRedisBackend) as BackendFactory;
  return backend as never; // BullMQ types queues and workers for Redis only
}

/** BullMQ types connections for Redis only; the PostgreSQL backend takes a connection string and pool options. */
function connectionOptions({ redisUrl, databaseUrl, role }: QueueConfig, redis: object, postgres: object): Connection {
  if (redisUrl !== null)
    return { url: redisUrl, retryStrategy: redisRetryDelayMs, connectTimeout: CONNECT_TIMEOUT_MS, ...redis };
  const pool = { max: QUEUE_POOL_SIZE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  const session = { application_name: `namewatch ${role} queue`, ...POSTGRES_TIMEOUTS };
  return { connectionString: databaseUrl, schema: 'bullmq', ...pool, ...session, ...postgres };
}
