import { Pool } from 'pg';
import { isInRequest } from '../concurrency/request-context.js';
import { reclaimLostConnections } from './pool-recovery.js';
import { type PoolUsage, usageOf } from './pool-usage.js';

/** The connections of the ORM, in two pools. */
export class OrmPools {
  private pools: { readonly requests: Pool; readonly background: Pool } | null = null;

  /**
   * Gives requests and background work separate connections, so that load on the API never delays lookups. The ORM knows
   * one pool; background work is routed to a second one with the same options, which stays empty while unused.
   */
  readonly separate = (requests: Pool): void => {
    const background = new Pool(requests.options);
    // A running query fails with its own error; without a listener this one would end the process.
    background.on('error', () => undefined);
    background.on('connect', (client) => client.on('error', () => undefined));
    const [connect, end] = [requests.connect.bind(requests), requests.end.bind(requests)];
    requests.connect = ((...args: Parameters<Pool['connect']>) =>
      isInRequest() ? connect(...args) : background.connect(...args)) as Pool['connect'];
    requests.end = async () => void (await Promise.all([end(), background.end()]));
    for (const pool of [requests, background]) reclaimLostConnections(pool);
    this.pools = { requests, background };
  };

  /** Empty before the ORM is connected. */
  usage(): readonly PoolUsage[] {
    if (!this.pools) return [];
    const { requests, background } = this.pools;
    return [usageOf('orm_requests', requests), usageOf('orm_background', background)];
  }
}
