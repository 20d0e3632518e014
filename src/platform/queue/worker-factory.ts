import { Injectable } from '@nestjs/common';
import type { Processor, Worker } from 'bullmq';
import { QueueConfig } from '../../config/sections.js';
import { OutageLog } from '../logging/outage-log.js';
import { createWorker } from './queue-backend.js';
import type { QueueName } from './queue-names.js';

export interface WorkerOptions {
  readonly queue: QueueName;
  /** Jobs at a time. */
  readonly concurrency: number;
}

/** BullMQ workers on the configured store. */
@Injectable()
export class WorkerFactory {
  constructor(private readonly config: QueueConfig) {}

  /** Takes jobs from now on. */
  create({ queue, concurrency }: WorkerOptions, process: Processor): Worker {
    const outage = OutageLog.forDependency(this.config.redisUrl === null ? 'PostgreSQL' : 'Redis');
    const worker = createWorker(queue, process, concurrency, this.config);
    return worker.on('error', (error) => outage.reportDown(error.message));
  }

  /**
   * BullMQ 6.7 never recovers from a failed first connection to PostgreSQL and then polls without a pause, so the start
   * waits for that connection. Redis may connect later.
   */
  async waitUntilReady(worker: Worker): Promise<void> {
    if (this.config.redisUrl === null) await worker.waitUntilReady();
  }
}
