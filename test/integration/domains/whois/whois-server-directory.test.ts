import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { UnlimitedAdmission } from '../../../../src/domains/rate-limiting/registry-admission.js';
import { PublicSuffixList, LookupSources } from '../../../../src/domains/sources/lookup-sources.js';
import { RdapSource } from '../../../../src/domains/rdap/rdap-source.js';
import { ExtensionSources } from '../../../../src/domains/extension-sources/extension-sources.js';
import { SandboxSource } from '../../../../src/domains/sources/sandbox-source.js';
import { WhoisSource } from '../../../../src/domains/whois/whois-source.js';
import { RdapBootstrap } from '../../../../src/domains/rdap/rdap-bootstrap.js';
import type { RegistryDocuments } from '../../../../src/domains/transport/registry-documents.repository.js';
import { RegistryHttpClient } from '../../../../src/domains/transport/registry-http-client.js';
import { type WhoisAddress, WhoisClient } from '../../../../src/domains/whois/whois-client.js';
import { parseReferral, WhoisServerDirectory } from '../../../../src/domains/whois/whois-server-directory.js';
import { DAY } from '../../../../src/kernel/clock.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { createOutboundAgent } from '../../../../src/platform/outbound/outbound-agent.js';
import { KeptDocuments } from '../../../support/builders/lookup-sources.js';
import { eventually } from '../../../support/eventually.js';
import { FakeWhois, saying, whoisFaults } from '../../../world/whois.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const ELSEWHERE = 'http://127.0.0.1:9/dns.json';
const iana = running(() => FakeWhois.start());

/** Connects to the fake in place of IANA, and to no other server. */
class ClientOfFakeIana extends WhoisClient {
  override query(server: WhoisAddress, query: string, signal: AbortSignal) {
    expect(server).toEqual({ host: 'whois.iana.org', port: 43 });
    return super.query({ host: '127.0.0.1', port: iana.port }, query, signal);
  }
}

function servers(documents: RegistryDocuments, clock = new TestClock(), settings: Record<string, string> = {}) {
  const client = new ClientOfFakeIana({ guard: new AddressGuard(['127.0.0.0/8']) });
  const config = readConfig({ RDAP_BOOTSTRAP_URL: ELSEWHERE, ...settings });
  return new WhoisServerDirectory(config, client, new UnlimitedAdmission(), documents, clock);
}

/** The directory, without any RDAP server. */
function suffixesWith(whoisServers: WhoisServerDirectory): PublicSuffixList {
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });
  const http = new RegistryHttpClient(createOutboundAgent({ guard: new AddressGuard() }));
  const clock = new TestClock();
  const rdap = new RdapSource(new RdapBootstrap(config, http, new KeptDocuments(), clock), http, clock);
  const whois = new WhoisSource(whoisServers, new WhoisClient({ guard: new AddressGuard() }));
  return new PublicSuffixList(new LookupSources(ExtensionSources.none, new SandboxSource(config, clock), rdap, whois));
}

const referral = (tld: string, host: string) =>
  saying([`domain:       ${tld.toUpperCase()}`, '', `whois:        ${host}`]);
const hostFor = async (known: WhoisServerDirectory, tld: string) =>
  (await known.findServer(DomainName.restore(`a.${tld}`)))?.host;

beforeEach(() => iana.says('lv', referral('lv', 'whois.new.lv')));

describe("a TLD's WHOIS server", () => {
  it('comes from the built-in table until an answer of IANA replaces it', async () => {
    const documents = new KeptDocuments();
    const known = servers(documents);
    expect(await hostFor(known, 'lv')).toBe('whois.nic.lv');
    await known.refreshIfStale('lv');
    await expectKept(documents, 'whois.new.lv');
    expect(await hostFor(known, 'lv')).toBe('whois.new.lv');
  });

  it('comes from the database while IANA does not answer, even if stored long ago', async () => {
    iana.says('lv', whoisFaults.hangsUp);
    const [documents, clock] = [new KeptDocuments(), new TestClock()];
    await documents.save('whois-referral.lv', { body: 'whois.kept.lv', fetchedAt: clock.now() });
    clock.advance(400 * DAY);
    const known = servers(documents, clock);
    await known.refreshIfStale('lv');
    expect(await hostFor(known, 'lv')).toBe('whois.kept.lv');
  });

  it('is requested from IANA again only when the stored answer is too old', async () => {
    const [documents, clock] = [new KeptDocuments(), new TestClock()];
    const known = servers(documents, clock);
    const before = iana.queries.length;
    await known.refreshIfStale('lv');
    await known.refreshIfStale('lv');
    expect(iana.queries.length - before).toBe(1);
    clock.advance(8 * DAY);
    await known.refreshIfStale('lv');
    expect(iana.queries.length - before).toBe(2);
  });

  it('is the configured override, without asking IANA', async () => {
    const before = iana.queries.length;
    const known = servers(new KeptDocuments(), new TestClock(), { WHOIS_OVERRIDES: 'lv=127.0.0.1:4343,lan=[::1]:43' });
    expect(await known.findServer(DomainName.restore('a.lv'))).toEqual({
      host: '127.0.0.1',
      port: 4343,
      label: '127.0.0.1:4343',
      isOverride: true,
    });
    expect(known.knownServer('lan')).not.toBeNull();
    expect(iana.queries).toHaveLength(before);
  });

  it('is unknown when the built-in tables are turned off', async () => {
    const known = servers(new KeptDocuments(), new TestClock(), { RDAP_BOOTSTRAP_URL: 'off' });
    expect(await known.findServer(DomainName.restore('a.lv'))).toBeNull();
    expect(known.knownServer('lv')).toBeNull();
  });

  it('is requested from IANA when no table lists it, and stored for all processes', async () => {
    iana.says('zm', referral('zm', 'whois.found.zm'));
    const [documents, before] = [new KeptDocuments(), iana.queries.length];
    const known = servers(documents);
    const suffixes = suffixesWith(known);
    expect(suffixes.classify('a.zm')).toEqual({ kind: 'unknown_tld' });
    expect(suffixes.classify('a.zm')).toEqual({ kind: 'unknown_tld' });
    await eventually(
      () => Promise.resolve(suffixes.classify('a.zm').kind),
      (kind) => kind === 'registrable',
    );
    expect(await hostFor(known, 'zm')).toBe('whois.found.zm');
    expect(known.allServers().get('zm')).toMatchObject({ host: 'whois.found.zm' });
    expect(await hostFor(servers(documents), 'zm')).toBe('whois.found.zm');
    expect(iana.queries.length - before).toBe(1);
  });

  it('is not requested for a TLD that does not exist, nor with tables turned off', async () => {
    iana.says('zm', referral('zm', 'whois.found.zm'));
    const before = iana.queries.length;
    suffixesWith(servers(new KeptDocuments())).classify('a.nowhere');
    const closed = servers(new KeptDocuments(), new TestClock(), { RDAP_BOOTSTRAP_URL: 'off' });
    await closed.discover('zm');
    expect(await hostFor(closed, 'zm')).toBeUndefined();
    expect(iana.queries).toHaveLength(before);
  });

  it.each([
    ['about another TLD', 'domain:  LT\nwhois:  whois.example.lt'],
    ['without a server', 'domain:  LV\nwhois:\nstatus: ACTIVE'],
    ['with an IP address', 'domain:  LV\nwhois:  127.0.0.1'],
    ['with a port', 'domain:  LV\nwhois:  whois.example.lv:25'],
    ['with a host name without a dot', 'domain:  LV\nwhois:  localhost'],
    ['with control characters', 'domain:  LV\nwhois:  whois.example.lv\n\0'],
    ['in UTF-16', Buffer.from('domain:  LV\nwhois:  whois.example.lv', 'utf16le').toString('latin1')],
    ['that says "No match"', 'No match'],
  ])('is not taken from an IANA referral %s', (_what, record) => {
    expect(parseReferral(record, 'lv')).toBeNull();
  });
});

async function expectKept(documents: KeptDocuments, host: string): Promise<void> {
  await eventually(
    () => documents.load('whois-referral.lv'),
    (kept) => kept?.body === host,
  );
}
