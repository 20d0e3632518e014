import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { Listening } from './listening.js';

/** The effect of a link on its traffic; each member is absent on a good link. */
export interface LinkConditions {
  /** Each direction takes so long; or only that of the questions, or of the answers. */
  readonly delayMs?: number;
  readonly questionsDelayMs?: number;
  readonly answersDelayMs?: number;
  readonly bytesPerSecond?: number;
  /** The share of packets that are lost, and come with TCP's repetition. */
  readonly lossShare?: number;
  /** One connection is reset so often. */
  readonly resetEveryMs?: number;
  /** One connection so often carries one direction only from then on, as when a router forgets it. */
  readonly halveEveryMs?: number;
}

/**
 * The behaviour of a failing PostgreSQL: `starting` answers as a server that recovers from a crash, `reset` closes each
 * connection, `silent` accepts and says nothing, `midway` falls silent after it has answered a little.
 */
export type Failure = 'starting' | 'reset' | 'silent' | 'midway';

/** Before `midway` falls silent: the answers to the start of a session, and a few statements. */
const ANSWERS_BEFORE_SILENCE = 6;
/** The least that Linux waits before it sends a packet again. */
const RETRANSMISSION_MS = 200;
const PACKET_BYTES = 1_460;

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** What the client gets of the server's answers, in packets. */
  answersLeft: number;
}

type Target = { readonly host: string; readonly port: number };

/** Stands between a service and a server that it needs: a good link, until a test takes the server away or spoils it. */
export class TcpProxy {
  private readonly connections = new Set<Connection>();
  private isAway = false;
  private isSilent = false;
  private held: (() => void)[] = [];
  private conditions: LinkConditions = {};
  private timers: NodeJS.Timeout[] = [];
  private failure: Failure | null = null;
  private healthyConnections = 0;
  private accepted = 0;

  private constructor(
    private readonly listening: Listening,
    private readonly random: () => number,
  ) {}

  /** @param target as it is at each connection */
  static async start(target: Target | string, random: () => number = Math.random): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(await Listening.on(server), random);
    const { hostname, port } = new URL(typeof target === 'string' ? target : 'tcp://127.0.0.1');
    const found = typeof target === 'string' ? { host: hostname, port: Number(port) } : target;
    server.on('connection', (near) => proxy.accept(near, () => connect(found)));
    return proxy;
  }

  get port(): number {
    return this.listening.port;
  }

  /** The address of what is behind it, by way of this proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.host = this.listening.host;
    return address.href;
  }

  /** Closes open connections and every new one, like a server that is down. */
  cut(): void {
    this.isAway = true;
    this.closeAll();
  }

  /** Keeps what is open and passes nothing on, as a server does that hangs, or a network that loses everything. */
  silence(): void {
    this.isSilent = true;
  }

  become(conditions: LinkConditions): void {
    this.conditions = conditions;
    for (const timer of this.timers) clearInterval(timer);
    const { resetEveryMs, halveEveryMs } = conditions;
    this.timers = [
      ...(resetEveryMs ? [setInterval(() => this.choose()?.near.resetAndDestroy(), resetEveryMs)] : []),
      ...(halveEveryMs ? [setInterval(() => this.halveOne(), halveEveryMs)] : []),
    ];
  }

  /** In the server's stead, after so many connections; those that are open fail with it. */
  fail(failure: Failure, healthyConnections = 0): void {
    Object.assign(this, { failure, healthyConnections, accepted: 0 });
    if (healthyConnections === 0) this.closeAll();
  }

  get hasFailed(): boolean {
    return this.failure !== null && this.accepted > this.healthyConnections;
  }

  /** A good link again. After {@link fail} it closes what hangs, as a server does that starts anew. */
  heal(): void {
    if (this.failure !== null) this.closeAll();
    Object.assign(this, { failure: null, isAway: false, isSilent: false });
    this.become({});
    for (const pass of this.held.splice(0)) pass();
  }

  async close(): Promise<void> {
    this.become({});
    this.cut();
    await this.listening.close();
  }

  private closeAll(): void {
    for (const { near, far } of this.connections) for (const socket of [near, far]) socket.destroy();
  }

  private accept(near: Socket, open: () => Socket): void {
    if (this.isAway) return void near.destroy();
    this.accepted += 1;
    if (!this.hasFailed) return this.join(near, open(), Infinity);
    if (this.accepted === this.healthyConnections + 1) this.closeAll();
    if (this.failure === 'reset') near.resetAndDestroy();
    else if (this.failure === 'starting') near.once('data', () => near.end(STARTING_UP));
    else this.join(near, open(), this.failure === 'midway' ? ANSWERS_BEFORE_SILENCE : 0);
  }

  private join(near: Socket, far: Socket, answersLeft: number): void {
    const connection: Connection = { near, far, answersLeft };
    this.connections.add(connection);
    near.pipe(this.createDirection('questionsDelayMs', () => false)).pipe(far);
    far.pipe(this.createDirection('answersDelayMs', () => (connection.answersLeft -= 1) < 0)).pipe(near);
    far.on('error', () => undefined); // broken connections are what this is for
    near.on('close', () => far.destroy());
    far.on('close', () => {
      this.connections.delete(connection);
      near.destroy();
    });
  }

  /** Sends one packet after the other, as fast as the link is; each then travels. */
  private createDirection(delay: 'questionsDelayMs' | 'answersDelayMs', isLost: () => boolean): Transform {
    let arrivesAt = 0;
    /** In their order, which timers do not keep. */
    const travelling: Buffer[] = [];
    const arrive = (count: number) => {
      for (const chunk of travelling.splice(0, count)) direction.push(chunk);
    };
    const send = (chunk: Buffer, sent: (error?: null, chunk?: Buffer) => void): void => {
      if (this.isSilent) return void this.held.push(() => send(chunk, sent));
      if (isLost()) return sent();
      const { delayMs = this.conditions[delay] ?? 0, bytesPerSecond = Infinity, lossShare = 0 } = this.conditions;
      const sendingMs = (chunk.length / bytesPerSecond) * 1_000;
      const packets = Math.ceil(chunk.length / PACKET_BYTES);
      const repeated = Array.from({ length: packets }, () => this.random()).filter((chance) => chance < lossShare);
      const travelMs = delayMs + (repeated.length > 0 ? RETRANSMISSION_MS : 0);
      if (sendingMs + travelMs === 0 && travelling.length === 0) return sent(null, chunk);
      arrivesAt = Math.max(arrivesAt, performance.now() + sendingMs + travelMs);
      travelling.push(chunk);
      setTimeout(() => arrive(1), arrivesAt - performance.now());
      setTimeout(sent, sendingMs);
    };
    const direction: Transform = new Transform({
      transform: (chunk: Buffer, _encoding, sent) => send(chunk, sent),
      flush: (ended) => {
        const end = () => (arrive(Infinity), ended());
        setTimeout(end, Math.max(0, arrivesAt - performance.now()));
      },
    });
    return direction;
  }

  private choose(): Connection | undefined {
    const whole = [...this.connections].filter(({ answersLeft }) => answersLeft > 0);
    return whole[Math.floor(this.random() * whole.length)];
  }

  private halveOne(): void {
    const connection = this.choose();
    if (connection) connection.answersLeft = 0;
  }
}

/** An ErrorResponse: SQLSTATE 57P03, as PostgreSQL words it. */
const STARTING_UP = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P03', M: 'the database system is starting up' });

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const said = Object.entries(fields).map(([field, value]) => `${field}${value}\0`);
  const body = Buffer.from(`${said.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
