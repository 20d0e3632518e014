import { Agent } from 'undici';
import { guardedConnector, type ConnectorOptions } from './guarded-connector.js';

export interface OutboundOptions extends ConnectorOptions {
  /** Milliseconds that an idle connection is kept for the next request; 0 closes each after its answer. */
  readonly keepAlive?: number;
  /** Connections to one origin at a time. */
  readonly connections?: number;
}

/**
 * The one way out to servers that are not ours: HTTP/1.1, one request per connection at a time, guarded addresses.
 * It follows no redirect and inflates nothing. Time and size of an answer are the caller's to bound.
 */
export function outboundAgent(options: OutboundOptions): Agent {
  const { keepAlive = 10_000, connections } = options;
  return new Agent({
    connect: guardedConnector(options),
    allowH2: false,
    pipelining: keepAlive === 0 ? 0 : 1,
    keepAliveTimeout: Math.max(keepAlive, 1),
    keepAliveMaxTimeout: Math.max(keepAlive, 1),
    ...(connections === undefined ? {} : { connections }),
  });
}
