import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { TestAuthority } from './certificates.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, received: ReceivedRequest) => void;

/** An HTTPS server on loopback that is every host: it has a certificate for each name that is asked for. */
export class LoopbackReceiver {
  readonly received: ReceivedRequest[] = [];
  /** What each request gets. */
  reply: Reply = replyWith(200);
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly authority: TestAuthority,
    private readonly server: Server,
  ) {}

  static async start(): Promise<LoopbackReceiver> {
    const authority = new TestAuthority();
    const server = createServer({
      ...authority.issueFor('127.0.0.1'),
      SNICallback: (host, callback) => callback(null, createSecureContext(authority.issueFor(host))),
    });
    const receiver = new LoopbackReceiver(authority, server);
    receiver.listen();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private listen(): void {
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // the sender may hang up at any time
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
        this.received.push(received);
        this.reply(response, received);
      });
    });
  }
}

export function replyWith(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}
