import type { Answer } from 'dns-packet';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Resolver } from 'node:dns/promises';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { AuthoritativeZoneWitness } from '../../../../src/domains/dns/authoritative-zone-witness.js';
import { ParentNameServers } from '../../../../src/domains/dns/parent-name-servers.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { dnsAnswers, FakeDns, messageTo } from '../../../world/dns.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const NS = 'ns.registry.example';
const name = DomainName.restore('lapsed.co.example');
/** The system resolver, and the name server of the zone `example`. */
const resolver = running(() => FakeDns.start());
const parent = running(() => FakeDns.start());

/** The resolver knows a zone and the address of its only server. */
const resolves = (zone: string, address = '127.0.0.1') => {
  const type = (asked: { query: { questions?: { type: string }[] | undefined } }) => asked.query.questions?.[0]?.type;
  const records = (wanted: string, record: Answer) =>
    resolver.says(record.name, (asked) =>
      asked.send(messageTo(asked.query, { answers: type(asked) === wanted ? [record] : [] })),
    );
  records('NS', { type: 'NS', class: 'IN', ttl: 60, name: zone, data: NS });
  records('A', { type: 'A', class: 'IN', ttl: 60, name: NS, data: address });
};

const serversOf = (allowed: readonly string[] = ['127.0.0.0/8']) => {
  const system = new Resolver({ timeout: 200, tries: 1 });
  system.setServers([resolver.host]);
  return new ParentNameServers(system, new AddressGuard(allowed), parent.port);
};

beforeEach(() => {
  for (const known of ['co.example', 'example', NS]) resolver.releases(known);
  resolver.otherwise = dnsAnswers.nxdomain;
});

describe('the name servers of the parent zone', () => {
  it('are found through the system resolver', async () => {
    resolves('co.example');
    const server = { label: NS, address: '127.0.0.1', port: parent.port, isParent: false };
    expect(await serversOf().find(name)).toEqual([server]);
  });

  it('are those of the zone above when the suffix is not a zone', async () => {
    resolves('example');
    expect(await serversOf().find(name)).toMatchObject([{ label: NS }]);
  });

  it('are unknown when the resolver fails', async () => {
    resolves('example');
    resolver.says('co.example', dnsAnswers.serverFailure);
    expect(await serversOf().find(name)).toEqual([]);
  });

  it('are left out when their address is neither public nor allowed', async () => {
    resolves('co.example');
    expect(await serversOf([]).find(name)).toEqual([]);
    resolves('co.example', '169.254.169.254');
    expect(await serversOf().find(name)).toEqual([]);
  });

  it('are resolved once for all names of the zone, and again after they are forgotten', async () => {
    resolves('co.example');
    const servers = serversOf();
    await servers.find(name);
    const before = resolver.queries('co.example');
    await servers.find(DomainName.restore('other.co.example'));
    expect(resolver.queries('co.example')).toBe(before);
    servers.evict(name);
    await servers.find(name);
    expect(resolver.queries('co.example')).toBe(before + 1);
  });

  it('are queried directly, not through the resolver, which may have a cached delegation', async () => {
    resolves('co.example');
    resolver.delegates('lapsed.co.example');
    const checker = new AuthoritativeZoneWitness(serversOf(), new TestClock());
    expect(await checker.ask(name, 3_000)).toMatchObject({
      says: 'denies',
      evidence: { server: NS, rule: 'dns.nxdomain', outcome: 'absent' },
    });
    expect(resolver.queries('lapsed.co.example')).toBe(0);
  });

  it('are not believed when their not-found answer is not authoritative', async () => {
    resolves('co.example');
    parent.says('lapsed.co.example', dnsAnswers.resolversDenial);
    const checker = new AuthoritativeZoneWitness(serversOf(), new TestClock());
    expect(await checker.ask(name, 3_000)).toMatchObject({ evidence: { rule: 'dns.not_authoritative' } });
    parent.releases('lapsed.co.example');
  });

  it('are unknown while the resolver is silent, and the DNS check is then inconclusive', async () => {
    resolver.otherwise = dnsAnswers.silence;
    const result = await new AuthoritativeZoneWitness(serversOf(), new TestClock()).ask(name, 100);
    expect(result).toMatchObject({
      says: 'silent',
      evidence: { server: 'co.example.', rule: 'dns.no_servers' },
    });
  });
});
