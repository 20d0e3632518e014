import { Agent } from 'undici';
import { createGuardedConnector, type ConnectorOptions } from './guarded-connector.js';

export interface OutboundOptions extends ConnectorOptions {
  /** Milliseconds that an idle connection is kept for the next request; 0 closes each after its answer. */
  readonly keepAliveMs?: number;
  /** Connections to one origin at a time. */
  readonly connections?: number;
}

/**
 * The one way out to servers that are not ours: HTTP/1.1, one request per connection at a time, guarded addresses.
 * It follows no redirect and inflates nothing. Time and size of an answer are the caller's to bound.
 */
export function createOutboundAgent(options: OutboundOptions): Agent {
  const { keepAliveMs = 10_000, connections } = options;
  return new Agent({
    connect: createGuardedConnector(options),
    allowH2: false,
    pipelining: keepAliveMs === 0 ? 0 : 1,
    keepAliveTimeout: Math.max(keepAliveMs, 1),
    keepAliveMaxTimeout: Math.max(keepAliveMs, 1),
    ...(connections === undefined ? {} : { connections }),
  });
}
