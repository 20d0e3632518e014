import { createServer, type Socket } from 'node:net';
import { Listening } from './listening.js';

/** Acts on one connection after its query has arrived. */
export type WhoisAnswer = (socket: Socket, query: string) => void;

/**
 * A WHOIS server on loopback over real sockets (RFC 3912): unknown names are free. Without any test runner, since a
 * demonstration can run on it too.
 */
export class FakeWhois {
  private readonly answers = new Map<string, WhoisAnswer>();
  private toEverything: WhoisAnswer | null = null;
  /** Every line it was sent. */
  readonly queries: string[] = [];
  /** Each of them, with the port of its connection at the other end. */
  readonly arrivals: { readonly query: string; readonly at: number; readonly port: number | undefined }[] = [];

  private constructor(private readonly listening: Listening) {}

  static async start(): Promise<FakeWhois> {
    const server = createServer((socket) => registry.serve(socket));
    const registry = new FakeWhois(await Listening.on(server));
    return registry;
  }

  get port(): number {
    return this.listening.port;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return this.listening.host;
  }

  holds(name: string, expires = '2027-06-01T12:00:00Z'): void {
    const record = ['Domain Name: ' + name.toUpperCase(), 'Registrar: Example Registrar', 'Domain Status: ok'];
    this.says(name, saying([...record, 'Creation Date: 2019-06-01T12:00:00Z', `Registry Expiry Date: ${expires}`]));
  }

  releases(name: string): void {
    this.answers.delete(name);
  }

  says(name: string, answer: WhoisAnswer): void {
    this.answers.set(name, answer);
  }

  /** One answer to whatever it is asked; null: it works again. */
  saysToEverything(answer: WhoisAnswer | null): void {
    this.toEverything = answer;
  }

  stop(): Promise<void> {
    return this.listening.close();
  }

  private serve(socket: Socket): void {
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!received.endsWith('\r\n')) return;
      const query = received.trimEnd();
      received = '';
      this.queries.push(query);
      this.arrivals.push({ query, at: performance.now(), port: socket.remotePort });
      const name = query.split(/[\s=]/).at(-1)?.replace(/\/e$/, '').toLowerCase() ?? '';
      const answer = this.toEverything ?? this.answers.get(name) ?? saying(`No match for "${name.toUpperCase()}".`);
      answer(socket, query);
    });
  }
}

/** Sends a text as UTF-8, or bytes as they are, and closes as the protocol wants. */
export function saying(answer: string | readonly string[] | Buffer): WhoisAnswer {
  const body = Buffer.isBuffer(answer) ? answer : [answer].flat().join('\r\n') + '\r\n';
  return (socket) => socket.end(body);
}

export const whoisFaults = {
  /** A byte now and then, so that no idle timer ever fires. */
  drips: (socket: Socket) => {
    const timer = setInterval(() => socket.write('%'), 20);
    socket.on('close', () => clearInterval(timer));
  },
  /** More and more. */
  floods: (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(`${'% more of the same '.repeat(400)}\r\n`));
    };
    socket.on('drain', more);
    more();
  },
  /** Takes the query and says nothing. */
  keepsSilent: () => undefined,
  hangsUp: (socket: Socket) => socket.resetAndDestroy(),
  /** Half of a sentence that would mean something, then the line is cut. */
  breaksOff: (socket: Socket) => {
    socket.write('Domain Name: EXAMPLE.TEST\r\nDomain Sta', () => socket.resetAndDestroy());
  },
} satisfies Record<string, WhoisAnswer>;
