import type { Worker } from 'bullmq';
import type { RequestActivity } from '../../kernel/request-activity.js';

interface Concurrency {
  readonly concurrency: number;
  readonly concurrencyBesideRequests?: number;
}

const SAMPLE_INTERVAL_MS = 100;

/**
 * Fewer jobs at a time while this process serves requests. Decided before there are jobs: BullMQ fetches as many as it
 * may before it starts the first, and those are lost to other processes.
 */
export function adaptConcurrency(
  worker: Pick<Worker, 'concurrency' | 'once'>,
  { concurrency, concurrencyBesideRequests: fewer = concurrency }: Concurrency,
  requests: RequestActivity,
): void {
  if (fewer === concurrency) return;
  const adapt = () => (worker.concurrency = requests.wasRecentlyActive ? fewer : concurrency);
  const timer = setInterval(adapt, SAMPLE_INTERVAL_MS).unref();
  worker.once('closing', () => clearInterval(timer));
}
