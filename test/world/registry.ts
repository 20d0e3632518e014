import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type FakeRecord, rdapNotFound, rdapRecord } from '../support/builders/rdap-answers.js';
import { Listening } from './listening.js';
import { type RegistryAnswer, saying } from './registry-faults.js';

export type DocumentAnswer = (reply: ServerResponse, headers: IncomingMessage['headers']) => void;

/**
 * A registry on loopback that speaks RDAP over real sockets and says what its script says: unknown names are absent.
 * Free of any test runner, since the demonstration and the benchmarks run on it too.
 */
export class FakeRegistry {
  private readonly answers = new Map<string, RegistryAnswer>();
  private toEverything: RegistryAnswer | null = null;
  private readonly asked = new Map<string, number>();
  /** Every query, with the port of its connection at the other end. */
  readonly arrivals: { readonly name: string; readonly at: number; readonly port: number | undefined }[] = [];
  /** Its web server has other documents at these paths. */
  private readonly documents = new Map<string, DocumentAnswer>();
  /** Every request, of a name or a document. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];

  private constructor(
    private readonly listening: Listening,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param tls PEM; without it the registry speaks plain http. */
  static async start(tls?: { key: string; cert: string }): Promise<FakeRegistry> {
    const listener: RequestListener = (request, reply) => registry.serve(request, reply);
    const server = tls ? createTlsServer(tls, listener) : createServer(listener);
    const registry = new FakeRegistry(await Listening.on(server), tls ? 'https' : 'http');
    return registry;
  }

  get port(): number {
    return this.listening.port;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return this.listening.host;
  }

  /** Where its RDAP paths begin. */
  get url(): string {
    return `${this.scheme}://${this.host}/rdap/`;
  }

  get bootstrapUrl(): string {
    return this.documentUrl('/dns.json');
  }

  documentUrl(path: string): string {
    return `${this.scheme}://${this.host}${path}`;
  }

  holds(name: string, record: FakeRecord = {}): void {
    this.answers.set(name, saying(200, rdapRecord(name, record)));
  }

  releases(name: string): void {
    this.answers.delete(name);
  }

  /** Any other answer, for instance one of the `lies`. */
  says(name: string, answer: RegistryAnswer): void {
    this.answers.set(name, answer);
  }

  /** One answer to whatever it is asked, as of a registry that is out of order; null: it works again. */
  saysToEverything(answer: RegistryAnswer | null): void {
    this.toEverything = answer;
  }

  /**
   * From now on every other question about a name is answered by a mirror that knows nothing of what changes.
   * @returns how the mirror catches up
   */
  lags(): () => void {
    const mirror = new Map(this.answers);
    const asked = new Map<string, number>(); // of each name: names asked about in turn would all have their own server
    this.saysToEverything((reply, name) => {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      const answers = (asked.get(name) ?? 0) % 2 === 0 ? this.answers : mirror;
      (answers.get(name) ?? saying(404, rdapNotFound()))(reply, name);
    });
    return () => this.saysToEverything(null);
  }

  /** The document at `bootstrapUrl`: an object is served as JSON, a text as it is, null as a 404. */
  publishes(bootstrap: unknown): void {
    this.serves('/dns.json', (reply) => saying(bootstrap === null ? 404 : 200, bootstrap ?? '')(reply, ''));
  }

  /** At a path of its web server. */
  serves(path: string, answer: DocumentAnswer): void {
    this.documents.set(path, answer);
  }

  /** How often it was asked about a name, or for its bootstrap document by `dns.json`. */
  queries(name: string): number {
    return this.asked.get(name) ?? 0;
  }

  stop(): Promise<void> {
    return this.listening.close();
  }

  private serve(request: IncomingMessage, reply: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).toLowerCase();
    this.asked.set(name, this.queries(name) + 1);
    this.arrivals.push({ name, at: performance.now(), port: request.socket.remotePort });
    this.requests.push({ path: pathname, headers: request.headers });
    const document = this.documents.get(pathname);
    if (document) document(reply, request.headers);
    else this.answerTo(pathname, name)(reply, name);
  }

  private answerTo(pathname: string, name: string): RegistryAnswer {
    if (!pathname.startsWith('/rdap/')) return saying(404, '');
    if (!/^\/rdap\/([^/]+\/)?domain\/[^/]+$/.test(pathname)) return saying(400, { errorCode: 400 });
    return this.toEverything ?? this.answers.get(name) ?? saying(404, rdapNotFound());
  }
}
