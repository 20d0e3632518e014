import { Inject, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { OutageLog } from '../logging/outage-log.js';

export type QueueStore = 'Redis' | 'PostgreSQL';

/** The id keeps one claim from being enqueued twice. */
export interface WakeUpJob {
  readonly id: string;
  readonly data: object;
}

/** Enqueues jobs that wake workers. Fails at once when the queue's store is unavailable: nothing may wait for it. */
export class QueueProducer implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly queue: Queue,
    private readonly store: QueueStore,
  ) {
    queue.on('error', (error) => OutageLog.forDependency(store).reportDown(error.message));
  }

  /** BullMQ 6.7 never recovers from a failed first connection to PostgreSQL. Redis may connect later. */
  async onModuleInit(): Promise<void> {
    if (this.store === 'PostgreSQL') await this.queue.waitUntilReady();
  }

  async enqueue(jobs: readonly WakeUpJob[]): Promise<void> {
    await this.queue.addBulk(jobs.map(({ id, data }) => ({ name: this.queue.name, data, opts: { jobId: id } })));
  }

  /** By state. */
  countJobs(): Promise<Readonly<Record<string, number>>> {
    return this.queue.getJobCounts('waiting', 'active');
  }

  /** Rejects when the store is unavailable. */
  async probe(): Promise<void> {
    await this.queue.getJobCounts('active');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}

export function queueProducerToken(queue: string): string {
  return `queue-producer:${queue}`;
}

export const InjectQueueProducer = (queue: string): ParameterDecorator => Inject(queueProducerToken(queue));
