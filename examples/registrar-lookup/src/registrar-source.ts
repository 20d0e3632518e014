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
import { RegistrarSettings } from './registrar-settings.js';

const MAX_RESPONSE_BYTES = 64 * 1_024;

/** A registrar's HTTP API, asked before the registry: what it finds is registered, the rest is put to the registry. */
@Injectable()
export class RegistrarSource extends LookupSource {
  readonly name = 'acme-registrar';
  readonly role = 'first';
  override readonly budget = { perSecond: 5, burst: 10, concurrency: 4 };

  constructor(
    private readonly http: RegistryHttpClient,
    private readonly settings: RegistrarSettings,
  ) {
    super();
  }

  servers(): ReadonlyMap<string, SourceServer> {
    const { base: url, tlds } = this.settings;
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return new Map(tlds.map((tld) => [tld, { host: url.hostname, port }]));
  }

  async ask(name: DomainName, _server: SourceServer, signal: AbortSignal): Promise<SourceAnswer> {
    const url = new URL(`v1/domains/${name.ascii}`, this.settings.base);
    const options = { accept: 'application/json', maxBytes: MAX_RESPONSE_BYTES, signal };
    const reply = await this.http.get(url, options, { authorization: `Bearer ${this.settings.apiKey}` });
    if (reply.kind === 'no_response') return toNoResponseFailure(reply, this.name, signal.aborted);
    return readReply(name, reply);
  }
}
