import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CertificateAuthority } from '../test/support/builders/certificates.js';
import { type ReceivedWebhook, verified, WebhookReceiver } from '../test/support/fakes/webhook-receiver.js';
import type { Chance } from './chance.js';

/** One line of a receiver's log; milliseconds of the epoch. */
export interface Arrival {
  readonly channel: string;
  /** The id that repeats bear too. */
  readonly event: string;
  /** The number of the attempt, as its sender counts. */
  readonly attempt: number;
  /** When the attempt began, by its signature: whole seconds. */
  readonly signedAt: number;
  readonly arrivedAt: number;
  /** When it was answered, or the sender hung up. */
  readonly endedAt: number;
  /** null: the sender was gone before it was told anything. */
  readonly status: number | null;
  readonly digest: string;
  readonly isGenuine: boolean;
}

/** How a channel's receiver treats an event that it sees for the first time: it takes it, or fails in one of these ways. */
const MOODS = ['refuses', 'takes it and hangs up', 'takes its time'] as const;
const SLOW = 700;

/** Somebody else's servers, which write down whatever comes, in a file that is only ever added to. */
export class Receivers {
  readonly arrivals: Arrival[] = [];
  private readonly secrets = new Map<string, string>();
  private readonly seen = new Set<string>();
  private moody = true;

  private constructor(
    private readonly server: WebhookReceiver,
    private readonly authority: CertificateAuthority,
    private readonly log: string,
    private readonly chance: Chance,
  ) {
    server.answers((reply, webhook) => this.take(reply, webhook));
  }

  static async start(folder: string, chance: Chance): Promise<Receivers> {
    const authority = await CertificateAuthority.create('Loopback authority');
    const server = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
    return new Receivers(server, authority, join(folder, 'arrivals.ndjson'), chance);
  }

  /** PEM. */
  get certificate(): string {
    return this.authority.cert;
  }

  /** Where a channel of this label sends to. */
  url(label: string): string {
    return this.server.url(`/${label}`);
  }

  isToldSecret(label: string, secret: string): void {
    this.secrets.set(label, secret);
  }

  /** Takes all there is from now on. */
  behave(): void {
    this.moody = false;
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
    this.answer(reply, isRepeat ? null : this.mood(channel));
  }

  private mood(channel: string): (typeof MOODS)[number] | null {
    return this.moody && channel.startsWith('moody') && this.chance.happens(0.3) ? this.chance.of(MOODS) : null;
  }

  private answer(reply: ServerResponse, mood: (typeof MOODS)[number] | null): void {
    if (mood === 'takes it and hangs up') reply.destroy();
    else if (mood === 'refuses') reply.writeHead(500).end();
    else if (mood === 'takes its time') setTimeout(() => reply.writeHead(204).end(), SLOW);
    else reply.writeHead(204).end();
  }

  private write(
    { headers, body, ...webhook }: ReceivedWebhook,
    known: Pick<Arrival, 'channel' | 'event' | 'arrivedAt' | 'status'>,
  ): void {
    const arrival: Arrival = {
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
