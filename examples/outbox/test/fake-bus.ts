import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly account_id: string;
    readonly data: { readonly entry_id: string; readonly domain?: string };
  };
}

type Answer = (message: ReceivedMessage) => number | Promise<number>;

/** A message bus on loopback. */
export class FakeBus {
  /** What it has taken, in order. */
  readonly taken: ReceivedMessage[] = [];
  /** The status that each message gets; 2xx: it is taken. */
  answer: Answer = () => 202;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeBus> {
    const server = createServer((request, response) => {
      void json(request)
        .then(async (body) => {
          const message = { headers: request.headers, body: body as ReceivedMessage['body'] };
          const status = await bus.answer(message);
          if (status < 300) bus.taken.push(message);
          response.writeHead(status).end();
        })
        .catch(() => response.destroy()); // the sender has hung up
    });
    const bus = new FakeBus(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return bus;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/messages`;
  }

  get takenIds(): readonly string[] {
    return this.taken.map(({ body }) => body.id);
  }

  /** Takes one more message, and refuses the others. @returns what ends that */
  failAfterFirst(): () => void {
    let answers = 0;
    this.answer = () => ((answers += 1) === 1 ? 202 : 503);
    return () => (this.answer = () => 202);
  }

  /** Lets messages wait for their answer, and takes them once it is released, also of a sender that has hung up. */
  hang(): { readonly reached: Promise<void>; readonly release: () => void } {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.answer = async () => {
      reached.resolve();
      await released.promise;
      return 202;
    };
    const release = () => {
      this.answer = () => 202;
      released.resolve();
    };
    return { reached: reached.promise, release };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
