import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { readConfig } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { SelfAddressGuard, UndiciGuardedHttp, WebhookGuard } from '../notifications/index.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, received: ReceivedRequest) => void;

/** An HTTPS server on loopback that is every host: it has a certificate for each name that is asked for. */
export class LoopbackReceiver {
  readonly received: ReceivedRequest[] = [];
  /** What each request gets. */
  reply: Reply = replyWith(200);
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly authority: TestAuthority,
    private readonly server: Server,
  ) {}

  static async start(): Promise<LoopbackReceiver> {
    const authority = new TestAuthority();
    const server = createServer({
      ...authority.issueFor('127.0.0.1'),
      SNICallback: (host, callback) => callback(null, createSecureContext(authority.issueFor(host))),
    });
    const receiver = new LoopbackReceiver(authority, server);
    receiver.listen();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private listen(): void {
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // the sender may hang up at any time
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
        this.received.push(received);
        this.reply(response, received);
      });
    });
  }
}

export function replyWith(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

class RealClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** The client of channels, whose every connection leads to the receiver, whatever the host. Targets are checked as ever. */
export class LoopbackHttp extends UndiciGuardedHttp {
  constructor(private readonly receiver: LoopbackReceiver) {
    const config = readConfig({});
    super(config, new WebhookGuard(config, new SelfAddressGuard({} as never, config)), new RealClock());
  }

  protected override createAgent(): Agent {
    const connect = buildConnector({ ca: this.receiver.authority.cert, allowH2: false });
    return new Agent({
      allowH2: false,
      connect: (options, callback) => {
        const servername = options.servername ?? options.hostname;
        connect({ ...options, hostname: '127.0.0.1', port: String(this.receiver.port), servername }, callback);
      },
    });
  }
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALTERNATIVE_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';
const TRUE = Buffer.from('0101ff', 'hex');

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that one test trusts (RFC 5280, in DER). */
export class TestAuthority {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly cert = this.issue('Namewatch contract suite', this.keys.publicKey, [
    sequence(hex(BASIC_CONSTRAINTS), TRUE, tagged(0x04, sequence(TRUE))),
  ]);

  /** @param host a name, or 127.0.0.1 */
  issueFor(host: string): Certificate {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = host === '127.0.0.1' ? tagged(0x87, Buffer.from([127, 0, 0, 1])) : tagged(0x82, Buffer.from(host));
    const extension = sequence(hex(SUBJECT_ALTERNATIVE_NAME), tagged(0x04, sequence(name)));
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: this.issue(host, publicKey, [extension]), key };
  }

  private issue(subject: string, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const algorithm = sequence(hex(ECDSA_WITH_SHA256));
    const validity = sequence(toUtcTime(Date.now() - DAY_MS), toUtcTime(Date.now() + DAY_MS));
    const toBeSigned = sequence(
      tagged(0xa0, hex('020102')),
      tagged(0x02, Buffer.from([1, ...randomBytes(8)])),
      algorithm,
      toName('Namewatch contract suite'),
      validity,
      toName(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, this.keys.privateKey)]));
    const base64 = sequence(toBeSigned, algorithm, signature).toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function toName(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(hex(COMMON_NAME), tagged(0x0c, Buffer.from(commonName)))));
}

function toUtcTime(timeMs: number): Buffer {
  return tagged(0x17, Buffer.from(`${new Date(timeMs).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
