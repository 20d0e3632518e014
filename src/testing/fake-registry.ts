import type { ServerResponse } from 'node:http';
import { LoopbackReceiver } from './loopback-receiver.js';

/** A registered name, as the fake registry reports it. */
export interface FakeRegistration {
  /** RDAP or EPP statuses, such as `pending delete`. The default is `active`. */
  readonly statuses?: readonly string[];
  readonly registeredAt?: Date;
  readonly expiresAt?: Date;
}

/** A registry on loopback that serves RDAP, with only the domain names that the test registers. */
export class FakeRegistry {
  private readonly records = new Map<string, { readonly status: number; readonly body: unknown }>();
  private readonly queries = new Map<string, number>();

  private constructor(private readonly server: LoopbackReceiver) {
    server.reply = (response, { path }) => this.answer(path, response);
  }

  static async start(): Promise<FakeRegistry> {
    return new FakeRegistry(await LoopbackReceiver.start());
  }

  /** Registers a domain name, or replaces its record. */
  register(name: string, registration: FakeRegistration = {}): void {
    this.records.set(name, { status: 200, body: toRdapDomain(name, registration) });
  }

  /** Deletes the record of a domain name. */
  release(name: string): void {
    this.records.delete(name);
  }

  /**
   * Makes the registry answer queries for this domain name with this HTTP status, until `register` or `release` is
   * called.
   */
  fail(name: string, status = 503): void {
    this.records.set(name, { status, body: { errorCode: status } });
  }

  countQueries(name: string): number {
    return this.queries.get(name) ?? 0;
  }

  /** Returns the base URL for RDAP queries. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}/`;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private answer(path: string, reply: ServerResponse): void {
    const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).toLowerCase();
    this.queries.set(name, this.countQueries(name) + 1);
    const { status, body } = this.records.get(name) ?? NOT_FOUND;
    reply.writeHead(status, { 'content-type': 'application/rdap+json' }).end(JSON.stringify(body));
  }
}

/** The response for a domain name without a record (RFC 9083 §6). */
const NOT_FOUND = {
  status: 404,
  body: { rdapConformance: ['rdap_level_0'], errorCode: 404, title: 'Not Found' },
};

/** Makes the record of a domain name (RFC 9083 §5.3). */
function toRdapDomain(name: string, { statuses = ['active'], registeredAt, expiresAt }: FakeRegistration) {
  const event = (eventAction: string, date?: Date) => (date ? [{ eventAction, eventDate: date.toISOString() }] : []);
  return {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    ldhName: name,
    status: statuses,
    events: [...event('registration', registeredAt), ...event('expiration', expiresAt)],
  };
}
