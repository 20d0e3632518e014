import { Pool } from 'pg';
import { isInRequest } from '../concurrency/request-context.js';
import { reclaimLostConnections } from './pool-recovery.js';

/**
 * Gives requests and background work connections of their own, so that neither waits for what the other holds: a look
 * is never lost to load of the API. The ORM knows one pool; jobs and ticks are led past it to a second one like it,
 * which has no connection while nothing is done there.
 */
export function separatePools(requests: Pool): void {
  const background = new Pool(requests.options);
  // Each fails the query under way as well; unheard, it would end the process.
  background.on('error', () => undefined);
  background.on('connect', (client) => client.on('error', () => undefined));
  const [connect, end] = [requests.connect.bind(requests), requests.end.bind(requests)];
  requests.connect = ((...args: Parameters<Pool['connect']>) =>
    isInRequest() ? connect(...args) : background.connect(...args)) as Pool['connect'];
  requests.end = async () => void (await Promise.all([end(), background.end()]));
  for (const pool of [requests, background]) reclaimLostConnections(pool);
}
