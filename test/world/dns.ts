import { type Answer, AUTHORITATIVE_ANSWER, decode, type DecodedPacket, encode, TRUNCATED_RESPONSE } from 'dns-packet';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket as TcpSocket } from 'node:net';
import type { DsRecord } from '../../src/domains/domain/record/registration-record.js';

/** One question, and the ways of answering it. */
export interface Questioned {
  readonly query: DecodedPacket;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  readonly isTcp: boolean;
  readonly send: (message: Uint8Array) => void;
  /** From a socket that was not asked, as a forger would; nothing over TCP. */
  readonly sendFromElsewhere: (message: Uint8Array) => void;
}
export type DnsAnswer = (asked: Questioned) => void;

/**
 * A name server on loopback, over UDP and TCP on one port, that speaks for every zone: what it does not delegate does
 * not exist. Free of any test runner, since the demonstration may run on it too.
 */
export class FakeDns {
  private readonly answers = new Map<string, DnsAnswer>();
  private readonly asked: string[] = [];
  private stopped = false;
  /** The answer about names without an answer of their own. */
  otherwise: DnsAnswer = dnsAnswers.nxdomain;

  private constructor(
    private readonly udp: Socket,
    private readonly tcp: Server,
    private readonly elsewhere: Socket,
  ) {}

  static async start(): Promise<FakeDns> {
    const [tcp, udp, elsewhere] = [createServer(), createSocket('udp4'), createSocket('udp4')] as const;
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1');
    elsewhere.bind(0, '127.0.0.1');
    await Promise.all([once(udp, 'listening'), once(elsewhere, 'listening')]);
    const dns = new FakeDns(udp, tcp, elsewhere);
    udp.on('message', (bytes, from) => dns.serveDatagram(bytes, from));
    tcp.on('connection', (socket) => dns.serveConnection(socket));
    return dns;
  }

  get port(): number {
    return this.udp.address().port;
  }

  /** `127.0.0.1:port`, as `DNS_SERVERS` takes it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  delegates(name: string): void {
    this.says(name, dnsAnswers.referral());
  }

  /** With these name servers, and DS records if the delegation is signed. */
  publishes(name: string, hosts: readonly string[], ds: readonly DsRecord[] = []): void {
    this.says(name, dnsAnswers.delegation(hosts, ds));
  }

  says(name: string, answer: DnsAnswer): void {
    this.answers.set(name, answer);
  }

  releases(name: string): void {
    this.answers.delete(name);
  }

  /** How often it was asked about a name, over either protocol. */
  queries(name: string): number {
    return this.asked.filter((one) => one === name).length;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    const closed = [once(this.udp, 'close'), once(this.tcp, 'close')];
    for (const one of [this.udp, this.tcp, this.elsewhere]) one.close();
    await Promise.all(closed);
  }

  private serveDatagram(bytes: Buffer, { port, address }: RemoteInfo): void {
    // A late answer may be due after the end of the suite, whose process runs others.
    const send = (message: Uint8Array) => {
      if (!this.stopped) this.udp.send(message, port, address);
    };
    const sendFromElsewhere = (message: Uint8Array) => {
      if (!this.stopped) this.elsewhere.send(message, port, address);
    };
    this.serve(bytes, { isTcp: false, send, sendFromElsewhere });
  }

  private serveConnection(socket: TcpSocket): void {
    const send = (message: Uint8Array) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.end(Buffer.concat([length, message]));
    };
    socket.on('error', () => socket.destroy()); // the client has hung up
    socket.on('data', (bytes) =>
      this.serve(bytes.subarray(2), { isTcp: true, send, sendFromElsewhere: () => undefined }),
    );
  }

  private serve(bytes: Buffer, ways: Pick<Questioned, 'isTcp' | 'send' | 'sendFromElsewhere'>): void {
    const query = decode(bytes);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    this.asked.push(name);
    (this.answers.get(name) ?? this.otherwise)({ query, name, ...ways });
  }
}

interface Said {
  readonly code?: number;
  readonly flags?: number;
  readonly id?: number;
  readonly question?: string;
  readonly answers?: Answer[];
  readonly authorities?: Answer[];
}

/** A message that answers the query, in all but what is said differently. */
export function messageTo(query: DecodedPacket, { code = 0, flags = 0, id, question, ...sections }: Said): Buffer {
  const asked = query.questions ?? [];
  const questions = question === undefined ? asked : asked.map((one) => ({ ...one, name: question }));
  return encode({ type: 'response', id: id ?? query.id ?? 0, flags: flags | code, questions, ...sections });
}

const nameServers = (zone: string, hosts: readonly string[]): Answer[] =>
  hosts.map((host) => ({ type: 'NS', class: 'IN', ttl: 86_400, name: zone, data: host }));
const saying =
  (said: Said | ((name: string) => Said)): DnsAnswer =>
  ({ query, name, send }) =>
    send(messageTo(query, typeof said === 'function' ? said(name) : said));
const toDsAnswer = (name: string, { digest, ...record }: DsRecord): Answer => ({
  type: 'DS',
  class: 'IN',
  ttl: 86_400,
  name,
  data: { ...record, digest: Buffer.from(digest, 'hex') },
});
const HOSTS = ['ns1.hoster.example', 'ns2.hoster.example'];

/** Answers seen at real name servers, and at those that want to be believed. */
export const dnsAnswers = {
  nxdomain: saying({ code: 3, flags: AUTHORITATIVE_ANSWER }),
  /** The name is there, without name servers of its own. */
  noRecord: saying({ flags: AUTHORITATIVE_ANSWER }),
  /** The name is there with a record of another type. */
  alias: saying((name) => ({
    flags: AUTHORITATIVE_ANSWER,
    answers: [{ type: 'CNAME', class: 'IN', ttl: 60, name, data: 'parking.example' }],
  })),
  referral: (hosts: readonly string[] = HOSTS) => saying((name) => ({ authorities: nameServers(name, hosts) })),
  /** A parent zone's answer to questions for name servers and DS records. */
  delegation:
    (hosts: readonly string[], ds: readonly DsRecord[] = []): DnsAnswer =>
    (asked) => {
      const isDs = asked.query.questions?.[0]?.type === 'DS';
      const signers = saying({ flags: AUTHORITATIVE_ANSWER, answers: ds.map((each) => toDsAnswer(asked.name, each)) });
      (isDs ? signers : dnsAnswers.referral(hosts))(asked);
    },
  ownAnswer: saying((name) => ({ flags: AUTHORITATIVE_ANSWER, answers: nameServers(name, HOSTS) })),
  /** The answer of a resolver that was asked not to recurse and knows nothing. */
  rootReferral: saying({ authorities: nameServers('.', ['a.root-servers.net']) }),
  resolversDenial: saying({ code: 3 }),
  serverFailure: saying({ code: 2 }),
  refused: saying({ code: 5 }),
  silence: (() => undefined) as DnsAnswer,
  wrongId: (({ query, name, send }) => {
    send(messageTo(query, { id: ((query.id ?? 0) + 1) % 65_536, authorities: nameServers(name, HOSTS) }));
  }) as DnsAnswer,
  otherQuestion: (({ query, send }) => {
    send(messageTo(query, { question: 'another.example', authorities: nameServers('another.example', HOSTS) }));
  }) as DnsAnswer,
  /** A forger that is faster than the server and guesses the id claims that the name is free. */
  forgedDenial: (({ query, name, send, sendFromElsewhere }) => {
    sendFromElsewhere(messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER }));
    setTimeout(() => send(messageTo(query, { authorities: nameServers(name, HOSTS) })), 50);
  }) as DnsAnswer,
  otherClass: (({ query, name, send }) => {
    const questions = [{ type: 'NS', class: 'CH', name }] as const;
    send(messageTo({ ...query, questions: [...questions] }, { code: 3, flags: AUTHORITATIVE_ANSWER }));
  }) as DnsAnswer,
  oversized: (({ query, send }) => {
    send(Buffer.concat([messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER }), Buffer.alloc(9_000)]));
  }) as DnsAnswer,
  noise: (({ query, send }) => {
    const id = Buffer.alloc(2);
    id.writeUInt16BE(query.id ?? 0);
    send(Buffer.concat([id, Buffer.from('this is no DNS message at all')]));
  }) as DnsAnswer,
  /** As late as a server over a slow line; milliseconds. */
  late:
    (delay: number, answer: DnsAnswer): DnsAnswer =>
    (asked) =>
      void setTimeout(() => answer(asked), delay),
  /** Every question after the first is answered by the other one. */
  firstThen: (first: DnsAnswer, then: DnsAnswer): DnsAnswer => {
    let isFirst = true;
    return (asked) => {
      (isFirst ? first : then)(asked);
      isFirst = false;
    };
  },
  /** Sends packets of another host before the server's own answer, again and again. */
  behind: (noise: DnsAnswer, times: number, answer: DnsAnswer): DnsAnswer => {
    return (asked) => {
      if (!asked.isTcp) for (let i = 0; i < times; i++) noise(asked);
      setTimeout(() => answer(asked), 50);
    };
  },
  /** The datagram holds nothing but the flag; the whole answer needs a connection. */
  truncated: (({ query, name, isTcp, send }) => {
    send(messageTo(query, isTcp ? { authorities: nameServers(name, HOSTS) } : { flags: TRUNCATED_RESPONSE }));
  }) as DnsAnswer,
  truncatedForEver: saying({ flags: TRUNCATED_RESPONSE }),
};
