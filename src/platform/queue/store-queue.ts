import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type Job,
  type Processor,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import pg from 'pg';
import type { ProcessRole } from '../../config/process-role.js';
import type { QueueConfig } from '../../config/sections.js';
import { PooledClient } from '../database/pooled-client.js';
import { OutageLog } from '../logging/outage-log.js';
import { redisOptions } from '../redis/redis-options.js';

export const CHECK_QUEUE = 'checks';
export const DELIVERY_QUEUE = 'deliveries';

/** All queues: the migration creates what each needs in PostgreSQL, since the serving user cannot. */
export const QUEUES = [CHECK_QUEUE, DELIVERY_QUEUE];

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

/**
 * The most connections of a queue, and of a worker, which listens on one of its own. Three are as fast as ten. One process of
 * all roles is on a small machine, where each takes 4 MB of PostgreSQL: with one, 20 000 names are checked as fast.
 */
function queuePoolSizes(role: ProcessRole): { readonly queue: number; readonly worker: number } {
  const queue = role === 'all' ? 1 : 3;
  return { queue, worker: queue + 1 };
}

/** Unlike a worker's connection, a queue's must never wait for Redis. */
const REDIS_QUEUE = {
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS.redis,
  socketTimeout: 2 * COMMAND_TIMEOUT_MS.redis,
};

/** A worker retries for as long as Redis is unavailable. */
const REDIS_WORKER = { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS };

/**
 * Redis when configured, else the service's PostgreSQL. It stands where BullMQ wants the options of a connection:
 * @nestjs/bullmq passes nothing else from a queue on to its workers. So queues and workers know this store from those
 *   of
 * others, such as a host application's.
 */
export class QueueStore {
  readonly name: 'Redis' | 'PostgreSQL';

  constructor(private readonly config: QueueConfig) {
    this.name = config.redisUrl === null ? 'PostgreSQL' : 'Redis';
  }

  static findIn({ connection }: QueueOptions): QueueStore | null {
    return connection instanceof QueueStore ? connection : null;
  }

  get outage(): OutageLog {
    return OutageLog.forDependency(this.name);
  }

  /** Given to each queue and worker: BullMQ's default is one for the whole process, which may run queues of others. */
  readonly createBackend: BackendFactory = (name, options, uses = {}) => {
    const isWorker = uses.withBlockingConnection ?? false;
    if (this.config.redisUrl === null) {
      const pool = this.createPool(isWorker);
      const backend = createPostgresBackend(name, { ...options, connection: pool as never }, uses);
      const close = backend.close.bind(backend);
      return Object.assign(backend, {
        close: async (force?: boolean) => {
          try {
            await close(force);
          } finally {
            if (!pool.ended) await pool.end();
          }
        },
      });
    }
    return createRedisBackend(name, { ...options, connection: this.toRedis(this.config.redisUrl, isWorker) }, uses);
  };

  private toRedis(url: string, isWorker: boolean): QueueOptions['connection'] {
    const timeouts = isWorker ? REDIS_WORKER : REDIS_QUEUE;
    return redisOptions(url, { connectTimeout: CONNECT_TIMEOUT_MS, ...timeouts }) as QueueOptions['connection'];
  }

  /**
   * A pool of our own, since BullMQ would listen on a plain connection of the driver's, which knows one host only.
   * Each listener keeps a connection.
   */
  private createPool(isWorker: boolean): pg.Pool {
    const { queue, worker } = queuePoolSizes(this.config.role);
    return new pg.Pool({
      Client: PooledClient,
      connectionString: this.config.databaseUrl ?? '',
      options: '-c search_path=bullmq',
      max: isWorker ? worker : queue,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: `namewatch ${this.config.role} queue`,
      ...POSTGRES_TIMEOUTS,
      query_timeout: isWorker ? SOCKET_TIMEOUT_MS : COMMAND_TIMEOUT_MS.postgres,
    });
  }
}

/** Fails at once when its store is unavailable: nothing may wait for it. */
export class StoreQueue extends Queue {
  private readonly store: QueueStore | null;

  constructor(name: string, options: QueueOptions) {
    const store = QueueStore.findIn(options);
    super(name, options, store?.createBackend as never);
    this.store = store;
    if (store) this.on('error', (error) => store.outage.reportDown(error.message));
  }

  /** BullMQ 6.7 never recovers from a failed first connection to PostgreSQL. Redis may connect later. */
  async onModuleInit(): Promise<void> {
    if (this.store?.name === 'PostgreSQL') await this.waitUntilReady();
  }
}

/** Takes no jobs before it is started. */
export class StoreWorker extends Worker {
  private readonly store: QueueStore | null;
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    const store = QueueStore.findIn(options);
    super(name, processor, store ? { ...options, autorun: false } : options, store?.createBackend as never);
    this.store = store;
    if (store) this.on('error', (error) => store.outage.reportDown(error.message));
  }

  /**
   * BullMQ 6.7 never recovers from a failed first connection to PostgreSQL: it polls without a pause then, in microtasks,
   * and neither timers nor signals reach the process any more. So that connection comes first. Redis may connect later.
   */
  async start(): Promise<void> {
    if (this.store?.name === 'PostgreSQL') await this.waitUntilReady();
    this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /**
   * Lets running jobs finish. BullMQ pauses for five seconds, and again, while it cannot reach its store: that is not
   * waited for.
   */
  override async close(force = false): Promise<void> {
    const closed = super.close(force);
    await (this.store?.outage.isDown ? Promise.race([closed, Promise.allSettled(this.underWay)]) : closed);
  }

  protected override callProcessJob(job: Job, token: string, signal?: AbortSignal): Promise<unknown> {
    const work: Promise<unknown> = super.callProcessJob(job, token, signal).finally(() => this.underWay.delete(work));
    this.underWay.add(work);
    return work;
  }
}
