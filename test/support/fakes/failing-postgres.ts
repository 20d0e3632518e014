import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * The behaviour of a failing PostgreSQL: `starting` answers as a server that recovers from a crash, `reset` closes each
 * connection, `silent` accepts and says nothing, `midway` falls silent after it has answered a little.
 */
export type Failure = 'starting' | 'reset' | 'silent' | 'midway';

/** Before `midway` falls silent: the answers to the start of a session, and a few statements. */
const ANSWERS_BEFORE_SILENCE = 6;

/** Stands before a PostgreSQL and fails in its stead, from one of its connections on until it is healed. */
export class FailingPostgres {
  private readonly sockets = new Set<Socket>();
  private failure: Failure | null = null;
  private healthyConnections = 0;
  private connections = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(url: string): Promise<FailingPostgres> {
    const server = createServer();
    const postgres = new FailingPostgres(server, new URL(url));
    server.on('connection', (socket) => postgres.accept(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return postgres;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** After so many connections; those that are open fail with it. */
  fail(failure: Failure, healthyConnections = 0): void {
    this.failure = failure;
    this.healthyConnections = healthyConnections;
    this.connections = 0;
    if (healthyConnections === 0) this.closeAll();
  }

  get hasFailed(): boolean {
    return this.failure !== null && this.connections > this.healthyConnections;
  }

  /** Closes hanging connections, as a server that starts anew does. */
  heal(): void {
    this.failure = null;
    this.closeAll();
  }

  async close(): Promise<void> {
    this.closeAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(client: Socket): void {
    this.connections += 1;
    this.keep(client);
    if (this.failure === null || this.connections <= this.healthyConnections) return this.relay(client, Infinity);
    if (this.connections === this.healthyConnections + 1)
      for (const socket of this.sockets) if (socket !== client) socket.destroy();
    if (this.failure === 'reset') client.resetAndDestroy();
    if (this.failure === 'starting') client.once('data', () => client.end(STARTING_UP));
    if (this.failure === 'midway') this.relay(client, ANSWERS_BEFORE_SILENCE);
  }

  private relay(client: Socket, answers: number): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    this.keep(server);
    let answered = 0;
    client.pipe(server);
    server.on('data', (chunk) => {
      if (answered++ < answers) client.write(chunk);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // cut ends are what this is for
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** An ErrorResponse: SQLSTATE 57P03, as PostgreSQL words it. */
const STARTING_UP = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P03', M: 'the database system is starting up' });

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields)
    .map(([field, value]) => `${field}${value}\0`)
    .join('');
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
