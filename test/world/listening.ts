import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server that listens; its end ends its connections. */
export class Listening {
  /** Those that are open. */
  readonly sockets = new Set<Socket>();
  /** How many there have been. */
  accepted = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined); // clients come and go as they like
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** Anything that speaks over TCP: HTTP, HTTPS or bytes. */
  static async on(server: Server, port = 0, host = '127.0.0.1'): Promise<Listening> {
    const listening = new Listening(server);
    await once(server.listen(port, host), 'listening');
    return listening;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Ends what is open; a second time is fine. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
