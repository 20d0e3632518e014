import { Agent, Client, type Dispatcher } from 'undici';
import { createGuardedConnector, type ConnectorOptions } from './guarded-connector.js';

export interface OutboundOptions extends ConnectorOptions {
  /** How long an idle connection stays open. With 0, each connection closes after its response. */
  readonly keepAliveMs?: number;
  readonly connections?: number;
}

/**
 * Makes an HTTP/1.1 client for third-party servers. It follows no redirects. Callers must limit the time and size of
 * responses.
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
 * Sends each request on its own connection, because a timeout would not close a shared connection that has fallen
 * silent.
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
    // Closes the connection as soon as the request has ended.
    void client.close().finally(() => this.clients.delete(client));
    return isReady;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.destroy()));
  }
}
