import {
  type DomainName,
  LookupSource,
  RegistryHttpClient,
  type SourceAnswer,
  type SourceServer,
  toNoResponseFailure,
} from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { readReply } from './read-reply.js';
import { Settings } from './settings.js';

/** Asked before the registry: a record that it finds counts, everything else is put to the registry too. */
@Injectable()
export class Source extends LookupSource {
  readonly name = 'my-extension';
  readonly role = 'first';
  override readonly budget = { perSecond: 5, burst: 10, concurrency: 4 };

  constructor(
    private readonly http: RegistryHttpClient,
    private readonly settings: Settings,
  ) {
    super();
  }

  servers(): ReadonlyMap<string, SourceServer> {
    const { hostname: host, port, protocol } = new URL(this.settings.url);
    const server = { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
    return new Map(this.settings.tlds.map((tld) => [tld, server]));
  }

  async ask(name: DomainName, _server: SourceServer, signal: AbortSignal): Promise<SourceAnswer> {
    const url = new URL(`domains/${name.ascii}`, this.settings.url);
    const reply = await this.http.get(url, { accept: 'application/json', maxBytes: 65_536, signal });
    return reply.kind === 'reply' ? readReply(name, reply) : toNoResponseFailure(reply, this.name, signal.aborted);
  }
}
