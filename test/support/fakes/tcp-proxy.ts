import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between a service and a server it needs, so that a test can take the server away and give it back. */
export class TcpProxy {
  private readonly joined = new Map<Socket, Socket>();
  private away = false;
  private silent = false;

  private constructor(private readonly server: Server) {}

  static async start(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server);
    server.on('connection', (near) => proxy.join(near, connect(target)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Closes open connections and every new one, like a server that is down. */
  cut(): void {
    this.away = true;
    for (const socket of this.joined.keys()) socket.destroy();
  }

  /** Keeps what is open and passes nothing on, as a server does that hangs, or a network that loses everything. */
  silence(): void {
    this.silent = true;
    for (const [one, other] of this.joined) one.unpipe(other);
  }

  heal(): void {
    this.away = false;
    if (this.silent) for (const [one, other] of this.joined) one.pipe(other);
    this.silent = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.joined.set(socket, other);
      socket.on('error', () => undefined); // cut ends are what this is for
      socket.on('close', () => {
        this.joined.delete(socket);
        other.destroy();
      });
    }
    if (this.away) near.destroy();
    else if (!this.silent) near.pipe(far).pipe(near);
  }
}
