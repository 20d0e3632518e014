import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { readConfig } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { GuardedHttp, WebhookGuard } from '../notifications/index.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, received: ReceivedRequest) => void;

/**
 * A server on loopback that replaces the server of every host. {@link LoopbackHttp} connects to this server without
 * TLS.
 */
export class LoopbackReceiver {
  readonly received: ReceivedRequest[] = [];
  reply: Reply = replyWith(200);

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LoopbackReceiver> {
    const server = createServer((request, response) => receiver.receive(request, response));
    const receiver = new LoopbackReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined); // the sender may disconnect at any time
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      this.received.push(received);
      this.reply(response, received);
    });
  }
}

export function replyWith(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

class RealClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/**
 * Sends every request to the receiver, whichever host the request names. Still checks targets, as the real client does.
 */
export class LoopbackHttp extends GuardedHttp {
  constructor(private readonly receiver: LoopbackReceiver) {
    const config = readConfig({});
    super(config, new WebhookGuard(config, {} as never, config), new RealClock());
  }

  protected override createAgent(): Agent {
    const connect = buildConnector({});
    return new Agent({
      connect: (options, callback) => {
        if (options.protocol !== 'https:') return callback(new Error('a channel sends by HTTPS only'), null);
        connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(this.receiver.port) }, callback);
      },
    });
  }
}
