import { afterAll } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { DEFAULT_ADMISSION } from '../../../src/domains/domain/operators.js';
import type { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { RegistryHttpClient } from '../../../src/domains/transport/registry-http-client.js';
import { type RegistryAdmission, UnlimitedAdmission } from '../../../src/domains/rate-limiting/registry-admission.js';
import { RdapSource } from '../../../src/domains/rdap/rdap-source.js';
import { RdapBootstrap } from '../../../src/domains/rdap/rdap-bootstrap.js';
import {
  NO_DOCUMENTS,
  type RegistryDocument,
  type RegistryDocuments,
} from '../../../src/domains/transport/registry-documents.repository.js';
import { WhoisServerDirectory } from '../../../src/domains/whois/whois-server-directory.js';
import { SourceLookup } from '../../../src/domains/sources/source-lookup.js';
import type { RegistryServer } from '../../../src/domains/domain/lookup/lookup-source.js';
import type { RegistrySource } from '../../../src/domains/transport/registry-source.js';
import type { WhoisClient } from '../../../src/domains/whois/whois-client.js';
import { WhoisSource } from '../../../src/domains/whois/whois-source.js';
import { AddressGuard } from '../../../src/platform/outbound/address-guard.js';
import { Deadline } from '../../../src/platform/outbound/deadline.js';
import { createOutboundAgent } from '../../../src/platform/outbound/outbound-agent.js';
import { TestClock } from '../fakes/test-clock.js';

/** Documents in memory. */
export class KeptDocuments implements RegistryDocuments {
  readonly kept = new Map<string, RegistryDocument>();
  load = (kind: string) => Promise.resolve(this.kept.get(kind) ?? null);
  save = (kind: string, document: RegistryDocument) => Promise.resolve(void this.kept.set(kind, document));
}

/** Connects to loopback only, and is closed after the tests of the file. */
export function loopbackHttp(): RegistryHttpClient {
  const http = new RegistryHttpClient(createOutboundAgent({ guard: new AddressGuard(['127.0.0.0/8']) }));
  afterAll(() => http.onApplicationShutdown());
  return http;
}

const OFFLINE = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });

/** RDAP as the engine asks it, at servers that a test names. */
export function rdapLookup(http: RegistryHttpClient, admission?: RegistryAdmission, clock = new TestClock()) {
  const bootstrap = new RdapBootstrap(OFFLINE, http, NO_DOCUMENTS, clock);
  return lookupAt(new RdapSource(bootstrap, http, clock), admission, clock);
}

/** WHOIS as the engine asks it, at servers that a test names. */
export function whoisLookup(client: WhoisClient, clock = new TestClock()) {
  const directory = new WhoisServerDirectory(OFFLINE, client, new UnlimitedAdmission(), NO_DOCUMENTS, clock);
  return lookupAt(new WhoisSource(directory, client), undefined, clock);
}

function lookupAt<Server extends RegistryServer>(
  source: RegistrySource<Server>,
  admission: RegistryAdmission = new UnlimitedAdmission(),
  clock: TestClock,
) {
  const lookup = new SourceLookup(admission, clock);
  const lookUp = async (name: DomainName, server: Server, timeoutMs: number) => {
    const deadline = new Deadline(timeoutMs);
    const result = await lookup.run(source, server, name, deadline, DEFAULT_ADMISSION);
    return { result, remainingMs: deadline.remainingMs };
  };
  return { lookUp };
}
