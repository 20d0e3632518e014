import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The effect of a link on its traffic; each member is absent on a good link. */
export interface LinkConditions {
  /** Each direction takes so long. */
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
  /** The share of packets that are lost, and come with TCP's repetition. */
  readonly lossShare?: number;
  /** One connection is reset so often. */
  readonly resetEveryMs?: number;
  /** One connection so often carries one direction only from then on, as when a router forgets it. */
  readonly halveEveryMs?: number;
}

/** The least that Linux waits before it sends a packet again. */
const RETRANSMISSION_MS = 200;
const PACKET_BYTES = 1_460;

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** Its answers are lost. */
  isHalf: boolean;
}

/** Stands between the service and a server that it needs, and is a good link until it is told otherwise. */
export class PoorLink {
  private readonly connections = new Set<Connection>();
  private conditions: LinkConditions = {};
  private timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly server: Server,
    private readonly random: () => number,
  ) {}

  static async start(
    target: { readonly host: string; readonly port: number },
    random: () => number,
  ): Promise<PoorLink> {
    const server = createServer();
    const link = new PoorLink(server, random);
    server.on('connection', (near) => link.carry(near, connect(target)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
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

  async close(): Promise<void> {
    this.become({});
    for (const { near, far } of this.connections) for (const socket of [near, far]) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private carry(near: Socket, far: Socket): void {
    const connection: Connection = { near, far, isHalf: false };
    this.connections.add(connection);
    near.pipe(this.createDirection(() => false)).pipe(far);
    far.pipe(this.createDirection(() => connection.isHalf)).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => undefined); // broken connections are what this is for
      socket.on('close', () => {
        this.connections.delete(connection);
        other.destroy();
      });
    }
  }

  /** Sends one packet after the other, as fast as the link is; each then travels. */
  private createDirection(isLost: () => boolean): Transform {
    let arrivesAt = 0;
    /** In their order, which timers do not keep. */
    const travelling: Buffer[] = [];
    const arrive = (count: number) => {
      for (const chunk of travelling.splice(0, count)) direction.push(chunk);
    };
    const direction: Transform = new Transform({
      transform: (chunk: Buffer, _encoding, sent) => {
        if (isLost()) return sent();
        const { delayMs = 0, bytesPerSecond = Infinity, lossShare = 0 } = this.conditions;
        const sendingMs = (chunk.length / bytesPerSecond) * 1_000;
        const packets = Math.ceil(chunk.length / PACKET_BYTES);
        const repeated = Array.from({ length: packets }, () => this.random()).filter((chance) => chance < lossShare);
        const travelMs = delayMs + (repeated.length > 0 ? RETRANSMISSION_MS : 0);
        if (sendingMs + travelMs === 0 && travelling.length === 0) return sent(null, chunk);
        arrivesAt = Math.max(arrivesAt, performance.now() + sendingMs + travelMs);
        travelling.push(chunk);
        setTimeout(() => arrive(1), arrivesAt - performance.now());
        setTimeout(sent, sendingMs);
      },
      flush: (ended) => {
        const end = () => (arrive(Infinity), ended());
        setTimeout(end, Math.max(0, arrivesAt - performance.now()));
      },
    });
    return direction;
  }

  private choose(): Connection | undefined {
    const whole = [...this.connections].filter(({ isHalf }) => !isHalf);
    return whole[Math.floor(this.random() * whole.length)];
  }

  private halveOne(): void {
    const connection = this.choose();
    if (connection) connection.isHalf = true;
  }
}
