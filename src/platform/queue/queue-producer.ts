import { Inject, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { OutageLog } from '../logging/outage-log.js';

/** Where the jobs are kept. */
export type QueueStore = 'Redis' | 'PostgreSQL';

/** One job to ring for. The id keeps the same claim from being rung twice. */
export interface WakeUpJob {
  readonly id: string;
  readonly data: object;
}

/** Wakes workers up. Fails at once when the queue's store is away: nobody may wait for a doorbell. */
export class QueueProducer implements OnApplicationShutdown {
  constructor(
    private readonly queue: Queue,
    store: QueueStore,
  ) {
    queue.on('error', (error) => OutageLog.forDependency(store).reportDown(error.message));
  }

  async enqueue(jobs: readonly WakeUpJob[]): Promise<void> {
    await this.queue.addBulk(jobs.map(({ id, data }) => ({ name: this.queue.name, data, opts: { jobId: id } })));
  }

  /** Rejects when the store cannot be reached. */
  async probe(): Promise<void> {
    await this.queue.getJobCounts('active');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}

export function queueProducerToken(queue: string): string {
  return `doorbell:${queue}`;
}

export const InjectQueueProducer = (queue: string): ParameterDecorator => Inject(queueProducerToken(queue));
