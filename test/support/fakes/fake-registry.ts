import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type FakeRecord, rdapNotFound, rdapRecord } from '../builders/rdap-answers.js';
import { type RegistryAnswer, saying } from './registry-faults.js';

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
  private bootstrap: unknown = null;
  /** The headers of the last query. */
  lastHeaders: IncomingMessage['headers'] = {};

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param tls PEM; without it the registry speaks plain http. */
  static async start(tls?: { key: string; cert: string }): Promise<FakeRegistry> {
    const listener: RequestListener = (request, reply) => registry.serve(request, reply);
    const server = tls ? createTlsServer(tls, listener) : createServer(listener);
    const registry = new FakeRegistry(server, tls ? 'https' : 'http');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Where its RDAP paths begin. */
  get url(): string {
    return `${this.scheme}://${this.host}/rdap/`;
  }

  get bootstrapUrl(): string {
    return `${this.scheme}://${this.host}/dns.json`;
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
    this.bootstrap = bootstrap;
  }

  /** How often it was asked about a name, or for its bootstrap document by `dns.json`. */
  queries(name: string): number {
    return this.asked.get(name) ?? 0;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private serve(request: IncomingMessage, reply: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).toLowerCase();
    this.asked.set(name, this.queries(name) + 1);
    this.arrivals.push({ name, at: performance.now(), port: request.socket.remotePort });
    this.lastHeaders = request.headers;
    this.answerTo(pathname, name)(reply, name);
  }

  private answerTo(pathname: string, name: string): RegistryAnswer {
    if (pathname === '/dns.json') return this.bootstrap === null ? saying(404, '') : saying(200, this.bootstrap);
    if (!/^\/rdap\/([^/]+\/)?domain\/[^/]+$/.test(pathname)) return saying(400, { errorCode: 400 });
    return this.toEverything ?? this.answers.get(name) ?? saying(404, rdapNotFound());
  }
}
