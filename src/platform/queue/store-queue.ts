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

/** Migrations make the tables of these queues, because the user of DATABASE_URL may have no right to make tables. */
export const QUEUES = [CHECK_QUEUE, DELIVERY_QUEUE];

/** Limits the time of a queue command, because the task that adds jobs waits until the command ends. */
const COMMAND_TIMEOUT_MS = { redis: 5_000, postgres: 30_000 };

/**
 * A worker replaces a connection that is silent for this long. Redis responds after ten seconds, even without a job.
 */
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * PostgreSQL ends a statement that hangs, and an idle transaction (of a frozen process), so that their locks are
 * released.
 */
const POSTGRES_TIMEOUTS = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 5_000 };

/** Three connections are as fast as ten. For role `all`, one is enough for 20 000 names on a small machine. */
function queuePoolSizes(role: ProcessRole): { readonly queue: number; readonly worker: number } {
  const queue = role === 'all' ? 1 : 3;
  return { queue, worker: queue + 1 }; // a worker needs one more connection, to listen
}

/** Options for the Redis connection of a queue. A command fails at once while Redis is unavailable. */
const REDIS_QUEUE = {
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS.redis,
  socketTimeout: 2 * COMMAND_TIMEOUT_MS.redis,
};

/** Options for the Redis connection of a worker. A command is retried for as long as Redis is unavailable. */
const REDIS_WORKER = { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS };

/**
 * The store of our queues. It is passed as BullMQ's `connection`, because @nestjs/bullmq passes only this option to
 * workers.
 */
export class QueueStore {
  readonly name: 'Redis' | 'PostgreSQL';

  constructor(private readonly config: QueueConfig) {
    this.name = config.redisUrl === null ? 'PostgreSQL' : 'Redis';
  }

  /** Returns null for a queue or worker of a host application. */
  static findIn({ connection }: QueueOptions): QueueStore | null {
    return connection instanceof QueueStore ? connection : null;
  }

  get outage(): OutageLog {
    return OutageLog.forDependency(this.name);
  }

  /**
   * Makes the backend of one queue or worker. A default factory of BullMQ would also apply to queues of a host
   * application.
   */
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

  /** Makes BullMQ's connections here, because BullMQ's own cannot choose among several hosts in DATABASE_URL. */
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

/** A queue whose commands fail at once if its store is unavailable. */
export class StoreQueue extends Queue {
  private readonly store: QueueStore | null;

  constructor(name: string, options: QueueOptions) {
    const store = QueueStore.findIn(options);
    super(name, options, store?.createBackend as never);
    this.store = store;
    if (store) this.on('error', (error) => store.outage.reportDown(error.message));
  }

  /** Waits for PostgreSQL. BullMQ 6.7 recovers from a failed first connection only with Redis. */
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
   * Waits for PostgreSQL. After a failed first connection, BullMQ 6.7 would poll in microtasks forever, and block
   * timers and signals.
   */
  async start(): Promise<void> {
    if (this.store?.name === 'PostgreSQL') await this.waitUntilReady();
    this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /**
   * Lets running jobs finish. If the store is unavailable, does not wait for BullMQ itself, which would pause for long.
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
