import { Injectable } from '@nestjs/common';
import { type LabelledValue, Metrics } from '../metrics/metrics.js';
import type { QueueProducer } from './queue-producer.js';

/** Jobs in the queues that this process uses. */
@Injectable()
export class QueueMetrics {
  private readonly producers = new Map<string, QueueProducer>();

  constructor(metrics: Metrics) {
    const help = 'Jobs in a queue, by state. A job wakes a worker up for work that the database knows of.';
    metrics.gauge('namewatch_queue_jobs', help, () => this.read(), ['queue', 'state']);
  }

  add(queue: string, producer: QueueProducer): void {
    this.producers.set(queue, producer);
  }

  private async read(): Promise<LabelledValue[]> {
    const read = [...this.producers].map(async ([queue, producer]) =>
      Object.entries(await producer.countJobs()).map(([state, value]) => ({ labels: { queue, state }, value })),
    );
    return (await Promise.all(read)).flat();
  }
}
