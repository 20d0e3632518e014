import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform, type Writable } from 'node:stream';

/** The other end of a connection, and what leads there. */
interface Passage {
  readonly other: Socket;
  readonly into: Writable;
}

/** Stands between a service and a server it needs, so that a test can take the server away and give it back. */
export class TcpProxy {
  private readonly joined = new Map<Socket, Passage>();
  private away = false;
  private silent = false;
  private delayMs = 0;
  private answerDelayMs = 0;

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
    for (const [one, { into }] of this.joined) one.unpipe(into);
  }

  /** Passes on what clients send this much later, a packet after the other: a statement is one as a rule. 0: at once. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Passes on what the server answers this much later. 0: at once. */
  delayAnswers(ms: number): void {
    this.answerDelayMs = ms;
  }

  heal(): void {
    this.away = false;
    if (this.silent) for (const [one, { into }] of this.joined) one.pipe(into);
    this.silent = false;
    this.delayMs = 0;
    this.answerDelayMs = 0;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    const delayed = createDelay(() => this.delayMs);
    const delayedAnswers = createDelay(() => this.answerDelayMs);
    delayed.pipe(far);
    delayedAnswers.pipe(near);
    for (const [socket, passage] of [
      [near, { other: far, into: delayed }],
      [far, { other: near, into: delayedAnswers }],
    ] as const) {
      this.joined.set(socket, passage);
      socket.on('error', () => undefined); // cut ends are what this is for
      socket.on('close', () => {
        this.joined.delete(socket);
        passage.other.destroy();
        delayed.destroy();
        delayedAnswers.destroy();
      });
    }
    if (this.away) near.destroy();
    else if (!this.silent)
      for (const [one, into] of [
        [near, delayed],
        [far, delayedAnswers],
      ] as const)
        one.pipe(into);
  }
}

function createDelay(readDelayMs: () => number): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      const delayMs = readDelayMs();
      if (delayMs === 0) done(null, chunk);
      else setTimeout(() => done(null, chunk), delayMs);
    },
  });
}
