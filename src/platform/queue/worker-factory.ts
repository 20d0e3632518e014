import { Injectable } from '@nestjs/common';
import type { Processor, Worker } from 'bullmq';
import { QueueConfig } from '../../config/sections.js';
import { RequestActivity } from '../../kernel/request-activity.js';
import { OutageLog } from '../logging/outage-log.js';
import { adaptConcurrency } from './adapt-concurrency.js';
import { createWorker } from './queue-backend.js';
import type { QueueName } from './queue-names.js';

export interface WorkerOptions {
  readonly queue: QueueName;
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Jobs at a time while this process serves requests; the others stay in the queue, for other processes too. */
  readonly concurrencyBesideRequests?: number;
}

/** BullMQ workers on the configured store. */
@Injectable()
export class WorkerFactory {
  constructor(
    private readonly config: QueueConfig,
    private readonly requests: RequestActivity,
  ) {}

  get isStoreDown(): boolean {
    return this.outage.isDown;
  }

  private get outage(): OutageLog {
    return OutageLog.forDependency(this.config.redisUrl === null ? 'PostgreSQL' : 'Redis');
  }

  create(options: WorkerOptions, process: Processor): Worker {
    const { queue, concurrency } = options;
    const worker = createWorker(queue, process, concurrency, this.config);
    adaptConcurrency(worker, options, this.requests);
    return worker.on('error', (error) => this.outage.reportDown(error.message));
  }

  /**
   * It takes jobs from now on. BullMQ 6.7 never recovers from a failed first connection to PostgreSQL: it polls without a
   * pause then, in microtasks, and neither timers nor signals reach the process any more. So that connection comes first.
   * Redis may connect later.
   */
  async run(worker: Worker): Promise<void> {
    if (this.config.redisUrl === null) await worker.waitUntilReady();
    worker.run().catch((error: unknown) => worker.emit('error', error as Error));
  }
}
