import { Agent, Client, type Dispatcher } from 'undici';
import { createGuardedConnector, type ConnectorOptions } from './guarded-connector.js';

export interface OutboundOptions extends ConnectorOptions {
  /** How long an idle connection is kept; 0 closes it after each response. */
  readonly keepAliveMs?: number;
  /** Limits the connections of each origin. */
  readonly connections?: number;
}

/**
 * Makes the HTTP client for third-party servers: HTTP/1.1, one request per connection at a time, guarded addresses, no
 * redirects, no decompression. Callers limit time and size of responses.
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

type Request = Dispatcher.DispatchOptions & { readonly origin: string };

/**
 * Sends each request by HTTP/2 if the server speaks it, on a connection of its own. A timeout ends a stream and not its
 * connection, so a silently dead connection would fail all requests that share it.
 */
export class Http2Connections {
  private readonly clients = new Set<Client>();
  private readonly connect: ReturnType<typeof createGuardedConnector>;

  constructor(options: ConnectorOptions) {
    this.connect = createGuardedConnector({ ...options, offersHttp2: true });
  }

  dispatch(request: Request, handler: Dispatcher.DispatchHandler): boolean {
    const client = new Client(request.origin, { connect: this.connect, allowH2: true });
    this.clients.add(client);
    const isReady = client.dispatch(request, handler);
    void client.close().finally(() => this.clients.delete(client)); // as soon as the request has ended
    return isReady;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.destroy()));
  }
}
