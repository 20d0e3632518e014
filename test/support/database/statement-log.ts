import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a service and its PostgreSQL and notes every statement that is run, whichever of its pools it comes
 * through: prepared ones by their name, others by their text (PostgreSQL's protocol 3.0, messages of the client).
 */
export class StatementLog {
  private readonly run: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(target: { readonly host: string; readonly port: number }): Promise<StatementLog> {
    const server = createServer();
    const log = new StatementLog(server);
    server.on('connection', (near) => log.join(near, connect(target)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return log;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What was run while `work` was done, without those named: others may be run at any time. */
  async during(work: () => Promise<unknown>, without: RegExp): Promise<string[]> {
    const before = this.run.length;
    await work();
    return this.run.slice(before).filter((statement) => !without.test(statement));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    const read = this.reader();
    near.on('data', read).pipe(far).pipe(near);
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // a pool that ends cuts its connections
      socket.on('close', () => [near, far].forEach((one) => one.destroy()));
    }
  }

  private reader(): (chunk: Buffer) => void {
    let rest = Buffer.alloc(0);
    let isBegun = false;
    let unnamed = '';
    return (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const head = isBegun ? 1 : 0; // the first message has no type
        const end = rest.length < head + 4 ? Infinity : head + rest.readUInt32BE(head);
        if (rest.length < end) return;
        const [first = '', second = ''] = rest.toString('utf8', head + 4, end).split('\0');
        const type = isBegun ? rest.toString('latin1', 0, 1) : '';
        if (type === 'P' && first === '') unnamed = second;
        if (type === 'B') this.run.push(second || unnamed);
        if (type === 'Q') this.run.push(first);
        isBegun = true;
        rest = rest.subarray(end);
      }
    };
  }
}
