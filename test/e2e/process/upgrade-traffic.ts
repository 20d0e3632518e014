import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Listening } from '../../world/listening.js';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly domain?: string; readonly status?: string; readonly change_seq?: number };
}

interface Response {
  readonly status: number;
  readonly body: unknown;
}

const PAUSE_MS = 100;
const RETRY_MS = 50;
const TIMEOUT_MS = 10_000;

/** Users while versions change: one adds names, another is signed in and reads events from the end of the last page. */
export class UpgradeTraffic {
  /** The names whose addition was answered. */
  readonly added: string[] = [];
  /** In the order in which the reader got them. */
  readonly read: Event[] = [];
  /** Answers that no restart explains. */
  readonly unexpected: string[] = [];
  private cursor = '';
  /** The session of the reader. */
  private cookie: string | null = null;
  private isClosed = false;
  private readonly stopping = new AbortController();
  private readonly loops: Promise<void>[] = [];

  constructor(
    private readonly key: string,
    /** Of the processes that serve the API now. */
    private readonly addresses: () => readonly string[],
    private readonly register: (name: string) => void,
  ) {}

  async start(): Promise<void> {
    await this.signIn();
    this.loops.push(
      this.repeat(() => this.addName()),
      this.repeat(() => this.readPage()),
    );
  }

  /** Returns every event from the oldest on, after the requests under way have ended and the reader has read to the end. */
  async stop(): Promise<Event[]> {
    this.stopping.abort();
    await Promise.all(this.loops);
    while (await this.readPage());
    const all: Event[] = [];
    for (let after = '', hasMore = true; hasMore;) {
      const page = await this.fetchPage(after);
      all.push(...page.data);
      ({ next: after, has_more: hasMore } = page.meta);
    }
    return all;
  }

  private async signIn(): Promise<void> {
    const headers = { authorization: `Bearer ${this.key}` };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${this.addresses()[0]}/v1/sessions`, { method: 'POST', headers, signal });
    this.cookie = response.headers.get('set-cookie')?.replace(/;.*/, '') ?? null;
    if (this.cookie === null) throw new Error(`a session was refused with ${response.status}`);
  }

  /** Ends what waits for an answer, after a failure. */
  close(): void {
    this.isClosed = true;
    this.stopping.abort();
  }

  /** Asks one process after the other until one answers. */
  async call(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Response> {
    for (let attempt = 0; !this.isClosed; attempt += 1) {
      const up = this.addresses();
      const address = up[attempt % Math.max(up.length, 1)];
      const response = address === undefined ? null : await this.callOnce(address, method, path, body, idempotencyKey);
      if (response !== null && response.status !== 503) return response;
      await pause(RETRY_MS);
    }
    throw new Error('it was closed');
  }

  private async callOnce(address: string, method: string, path: string, body?: object, idempotencyKey?: string) {
    const isReader = method === 'GET' && this.cookie !== null;
    const headers = {
      ...(isReader
        ? { cookie: this.cookie ?? '', 'sec-fetch-site': 'same-origin' }
        : { authorization: `Bearer ${this.key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(`${address}${path}`, { method, headers, signal, ...content });
      return { status: response.status, body: await response.json() };
    } catch {
      return null; // it was killed, or stops
    }
  }

  private async repeat(act: () => Promise<unknown>): Promise<void> {
    try {
      while (!this.stopping.signal.aborted) {
        await act();
        await pause(PAUSE_MS);
      }
    } catch (error) {
      this.unexpected.push((error as Error).message);
    }
  }

  private async addName(): Promise<void> {
    const domain = `added-${this.added.length}.test`;
    this.register(domain);
    const { status, body } = await this.call('POST', '/v1/watchlist', { domain }, domain);
    // 409 says that it was added by the same request, whose answer was lost with its process.
    if (status !== 201 && status !== 409) throw new Error(`${status} to ${domain}: ${JSON.stringify(body)}`);
    this.added.push(domain);
  }

  /** @returns whether there are more */
  private async readPage(): Promise<boolean> {
    const { data, meta } = await this.fetchPage(this.cursor);
    this.read.push(...data);
    this.cursor = meta.next;
    return meta.has_more;
  }

  private async fetchPage(after: string) {
    const query = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const { status, body } = await this.call('GET', `/v1/events?limit=20${query}`);
    if (status !== 200) throw new Error(`the events were answered with ${status}: ${JSON.stringify(body)}`);
    return body as { readonly data: Event[]; readonly meta: { readonly next: string; readonly has_more: boolean } };
  }
}

/** Takes what the outbox sends. */
export class MessageBus {
  readonly received = new Set<string>();

  private constructor(private readonly listening: Listening) {}

  static async start(): Promise<MessageBus> {
    const server = createServer((request, reply) => {
      bus.received.add(String(request.headers['idempotency-key']));
      request.resume().on('end', () => reply.writeHead(204).end());
    });
    const bus = new MessageBus(await Listening.on(server));
    return bus;
  }

  get url(): string {
    return `http://${this.listening.host}/messages`;
  }

  close(): Promise<void> {
    return this.listening.close();
  }
}
