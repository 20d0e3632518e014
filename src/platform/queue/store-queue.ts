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

/** All queues. The migration creates their tables in PostgreSQL, since the serving user cannot. */
export const QUEUES = [CHECK_QUEUE, DELIVERY_QUEUE];

/** The task that claims work waits for a command. PostgreSQL may have to create its tables first, which takes long. */
const COMMAND_TIMEOUT_MS = { redis: 5_000, postgres: 30_000 };

/**
 * Replaces a silent connection: otherwise a worker would wait a quarter of an hour for the kernel to give up. A worker
 * blocks on Redis for ten seconds at most.
 */
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Makes a hanging statement, or a process stopped within a transaction, release its locks. */
const POSTGRES_TIMEOUTS = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 5_000 };

/**
 * Returns the most connections of a queue and of a worker, which needs one more to listen. Three are as fast as ten. A
 * process with all roles is on a small machine, where each connection takes 4 MB of PostgreSQL. With a single
 * connection, 20 000 names are checked as fast.
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
 * Stands for Redis when configured, else for the service's PostgreSQL. It takes the place of BullMQ's connection
 * options, because @nestjs/bullmq passes nothing else from a queue to its workers. So queues and workers tell our
 * store from others, such as a host application's.
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

  /** Is given to each queue and worker: BullMQ's default would hold for the whole process, also for others' queues. */
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
   * Makes a pool of our own. BullMQ would listen on a plain connection of the driver, which knows one host only. Each
   * listener keeps a connection.
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

/** A queue that fails at once when its store is unavailable, so that nothing waits for it. */
export class StoreQueue extends Queue {
  private readonly store: QueueStore | null;

  constructor(name: string, options: QueueOptions) {
    const store = QueueStore.findIn(options);
    super(name, options, store?.createBackend as never);
    this.store = store;
    if (store) this.on('error', (error) => store.outage.reportDown(error.message));
  }

  /** Waits for PostgreSQL, since BullMQ 6.7 never recovers from a failed first connection. Redis may connect later. */
  async onModuleInit(): Promise<void> {
    if (this.store?.name === 'PostgreSQL') await this.waitUntilReady();
  }
}

/** A worker that takes no jobs before it is started. */
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
   * Waits for the first connection to PostgreSQL. If it fails, BullMQ 6.7 never recovers: it polls in microtasks
   * without a pause, and neither timers nor signals reach the process any more. Redis may connect later.
   */
  async start(): Promise<void> {
    if (this.store?.name === 'PostgreSQL') await this.waitUntilReady();
    this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /** Lets running jobs finish. Does not wait for BullMQ itself, which pauses for long while its store is down. */
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
