import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { Arrivals } from './arrivals.js';
import { Listening } from './listening.js';
import { CertificateAuthority, type ServerCertificate } from '../support/builders/certificates.js';
import { EventContract } from '../support/documents/event-contract.js';

/** One request as it came, byte for byte. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Says something to one request, or nothing. */
export type Answer = (reply: ServerResponse, received: ReceivedWebhook) => void;

/** An HTTPS server on loopback that records its requests and answers as the test says. */
export class WebhookReceiver {
  readonly received = new Arrivals<ReceivedWebhook>();
  /** With these a service sends to it and trusts its certificate; empty where it was given a certificate of others. */
  settings: Readonly<Record<string, string>> = {};
  private authority: CertificateAuthority | null = null;
  private folder: string | null = null;
  private answer: Answer = (reply) => reply.writeHead(204).end();

  private constructor(private readonly listening: Listening) {}

  /** With a certificate of its own, for these names. */
  static async startTrusted(names = ['127.0.0.1']): Promise<WebhookReceiver> {
    const authority = await CertificateAuthority.create();
    const receiver = await WebhookReceiver.start(await authority.issue(names));
    receiver.authority = authority;
    receiver.folder = mkdtempSync(join(tmpdir(), 'namewatch-receiver-'));
    const WEBHOOK_CA_FILE = join(receiver.folder, 'ca.pem');
    writeFileSync(WEBHOOK_CA_FILE, authority.cert);
    receiver.settings = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE };
    return receiver;
  }

  /** Another one, which the same settings make a service trust. */
  async another(): Promise<WebhookReceiver> {
    if (this.authority === null) throw new Error('its certificate is of an authority that it does not know');
    return WebhookReceiver.start(await this.authority.issue(['127.0.0.1']));
  }

  /** @param tls the certificate, and other options of a TLS server */
  static async start(tls: ServerCertificate & SecureContextOptions, port = 0): Promise<WebhookReceiver> {
    const server = createServer(tls);
    const receiver = new WebhookReceiver(await Listening.on(server, port));
    server.on('request', (request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined); // the client has hung up
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const webhook = { method, path: url, headers, body: Buffer.concat(chunks) };
        receiver.received.add(webhook);
        receiver.answer(reply, webhook);
      });
    });
    server.on('tlsClientError', () => undefined); // a sender that does not trust the certificate hangs up
    return receiver;
  }

  get port(): number {
    return this.listening.port;
  }

  /** @param host a host that the certificate names */
  url(path = '/hook', host = '127.0.0.1'): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.listening.sockets.size;
  }

  /** From now on, for every request. */
  answers(answer: Answer): void {
    this.answer = answer;
  }

  answersWith(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): void {
    this.answers((reply) => reply.writeHead(status, headers).end(body));
  }

  async close(): Promise<void> {
    await this.listening.close();
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true });
  }
}

let contract: EventContract | undefined;

/** The body, if the signature is right and the API document describes it. @throws when it is not. */
export function verified({ body, headers }: ReceivedWebhook, secret: string): unknown {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>);
  contract ??= EventContract.committed();
  const breaches = contract.breachesOf({ headers, body });
  if (breaches.length > 0) throw new Error(`not as the API document says: ${breaches.join('; ')}`);
  return event;
}
