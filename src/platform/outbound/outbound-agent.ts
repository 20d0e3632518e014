import { Agent } from 'undici';
import { createGuardedConnector, type ConnectorOptions } from './guarded-connector.js';

export interface OutboundOptions extends ConnectorOptions {
  /** How long an idle connection is kept; 0 closes it after each response. */
  readonly keepAliveMs?: number;
  /** Limits the connections of each origin. */
  readonly connections?: number;
}

/**
 * The only HTTP client for third-party servers: HTTP/1.1, one request per connection at a time, guarded addresses, no
 * redirects, no decompression. Callers bound time and size of responses.
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
