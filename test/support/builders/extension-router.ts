import { readConfig } from '../../../src/config/config.js';
import type { LookupSource } from '../../../src/kit.js';
import { DEFAULT_ADMISSION } from '../../../src/domains/domain/operators.js';
import { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import {
  type Permit,
  RegistryAdmission,
  type Rejection,
  type RequestOutcome,
} from '../../../src/domains/rate-limiting/registry-admission.js';
import { ExtensionSources } from '../../../src/domains/extension-sources/extension-sources.js';
import { NO_DOCUMENTS, type RegistryDocuments } from '../../../src/domains/transport/registry-documents.repository.js';
import { FurtherQuestions } from '../../../src/domains/sources/further-questions.js';
import { LookupSources } from '../../../src/domains/sources/lookup-sources.js';
import type { ServerAddress } from '../../../src/domains/domain/lookup/lookup-source.js';
import { SandboxSource } from '../../../src/domains/sources/sandbox-source.js';
import { SourceLookup } from '../../../src/domains/sources/source-lookup.js';
import { RdapSource } from '../../../src/domains/rdap/rdap-source.js';
import { RdapBootstrap } from '../../../src/domains/rdap/rdap-bootstrap.js';
import { RegistryHttpClient } from '../../../src/domains/transport/registry-http-client.js';
import { WhoisServerDirectory } from '../../../src/domains/whois/whois-server-directory.js';
import { WhoisClient } from '../../../src/domains/whois/whois-client.js';
import { WhoisSource } from '../../../src/domains/whois/whois-source.js';
import { AddressGuard } from '../../../src/platform/outbound/address-guard.js';
import { createOutboundAgent } from '../../../src/platform/outbound/outbound-agent.js';
import { TestClock } from '../fakes/test-clock.js';

/** Admits what a test lets through, and records servers and outcomes. */
class RecordingAdmission extends RegistryAdmission {
  readonly servers: string[] = [];
  readonly outcomes: RequestOutcome['kind'][] = [];
  rejection: Rejection | null = null;

  acquire({ host }: ServerAddress): Promise<Permit | Rejection> {
    if (this.rejection) return Promise.resolve(this.rejection);
    this.servers.push(host);
    return Promise.resolve({ kind: 'permit', release: ({ kind }) => void this.outcomes.push(kind) });
  }
}

/**
 * The sources of extensions in front of the built-in ones, which ask servers on loopback only. Without overrides in the
 * settings the sandbox alone serves names.
 */
export function extensionRouter(
  sources: readonly LookupSource[],
  settings: Readonly<Record<string, string>> = {},
  http = new RegistryHttpClient(createOutboundAgent({ guard: new AddressGuard(['127.0.0.0/8']) })),
  documents: RegistryDocuments = NO_DOCUMENTS,
) {
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off', ...settings });
  const [clock, admission] = [new TestClock(), new RecordingAdmission()];
  const client = new WhoisClient({ guard: new AddressGuard(['127.0.0.0/8']) });
  const all = new LookupSources(
    new ExtensionSources(sources),
    new SandboxSource(config, clock),
    new RdapSource(new RdapBootstrap(config, http, documents, clock), http, clock),
    new WhoisSource(new WhoisServerDirectory(config, client, admission, documents, clock), client),
  );
  const lookup = new SourceLookup(admission, clock);
  const router = new FurtherQuestions(all, lookup, documents, clock);
  const lookUp = async (name: string, timeoutMs = 5_000) =>
    (await router.lookUp(DomainName.restore(name), timeoutMs, DEFAULT_ADMISSION)).result;
  return { lookUp, router, admission, sources: all, clock };
}
