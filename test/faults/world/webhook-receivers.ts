import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { type ReceivedWebhook, verified, WebhookReceiver } from '../../world/receiver.js';
import type { SeededRandom } from '../scenario/seeded-random.js';

/** One line of a receiver's log; epoch milliseconds. */
export interface WebhookArrival {
  readonly channel: string;
  /** Retries have the same id. */
  readonly event: string;
  /** The sender's attempt number. */
  readonly attempt: number;
  /** The timestamp of the signature, in whole seconds. */
  readonly signedAt: number;
  readonly arrivedAt: number;
  /** When it was answered or the sender disconnected. */
  readonly endedAt: number;
  /** null: the sender disconnected before the answer. */
  readonly status: number | null;
  readonly digest: string;
  readonly isGenuine: boolean;
}

/** How a receiver may fail when it gets an event for the first time. */
const FAILURES = ['refuses', 'takes it and hangs up', 'takes its time'] as const;
const SLOW_MS = 700;

/** Webhook receivers that log every request to an append-only file. */
export class WebhookReceivers {
  readonly arrivals: WebhookArrival[] = [];
  private readonly secrets = new Map<string, string>();
  private readonly seen = new Set<string>();
  private isFailing = true;

  private constructor(
    private readonly server: WebhookReceiver,
    private readonly authority: CertificateAuthority,
    private readonly log: string,
    private readonly random: SeededRandom,
  ) {
    server.answers((reply, webhook) => this.take(reply, webhook));
  }

  static async start(folder: string, random: SeededRandom): Promise<WebhookReceivers> {
    const authority = await CertificateAuthority.create('Loopback authority');
    const server = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
    return new WebhookReceivers(server, authority, join(folder, 'arrivals.ndjson'), random);
  }

  /** PEM. */
  get certificate(): string {
    return this.authority.cert;
  }

  /** The target of the channel with this label. */
  url(label: string): string {
    return this.server.url(`/${label}`);
  }

  setSecret(label: string, secret: string): void {
    this.secrets.set(label, secret);
  }

  /** Accepts everything from now on. */
  stopFailing(): void {
    this.isFailing = false;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private take(reply: ServerResponse, webhook: ReceivedWebhook): void {
    const arrivedAt = Date.now();
    const channel = webhook.path.slice(1);
    const event = String(webhook.headers['webhook-id']);
    const write = (status: number | null) => this.write(webhook, { channel, event, arrivedAt, status });
    reply.once('close', () => write(reply.writableFinished ? reply.statusCode : null));
    const isRepeat = this.seen.has(`${channel} ${event}`);
    this.seen.add(`${channel} ${event}`);
    this.answer(reply, isRepeat ? null : this.pickFailure(channel));
  }

  private pickFailure(channel: string): (typeof FAILURES)[number] | null {
    return this.isFailing && channel.startsWith('moody') && this.random.nextBoolean(0.3)
      ? this.random.pick(FAILURES)
      : null;
  }

  private answer(reply: ServerResponse, pickFailure: (typeof FAILURES)[number] | null): void {
    if (pickFailure === 'takes it and hangs up') reply.destroy();
    else if (pickFailure === 'refuses') reply.writeHead(500).end();
    else if (pickFailure === 'takes its time') setTimeout(() => reply.writeHead(204).end(), SLOW_MS);
    else reply.writeHead(204).end();
  }

  private write(
    { headers, body, ...webhook }: ReceivedWebhook,
    known: Pick<WebhookArrival, 'channel' | 'event' | 'arrivedAt' | 'status'>,
  ): void {
    const arrival: WebhookArrival = {
      ...known,
      endedAt: Date.now(),
      attempt: Number(headers['x-delivery-attempt']),
      signedAt: Number(headers['webhook-timestamp']) * 1_000,
      digest: createHash('sha256').update(body).digest('hex'),
      isGenuine: this.isGenuine({ ...webhook, headers, body }, known.channel),
    };
    this.arrivals.push(arrival);
    appendFileSync(this.log, `${JSON.stringify(arrival)}\n`);
  }

  private isGenuine(webhook: ReceivedWebhook, label: string): boolean {
    try {
      verified(webhook, this.secrets.get(label) ?? '');
      return true;
    } catch {
      return false;
    }
  }
}
