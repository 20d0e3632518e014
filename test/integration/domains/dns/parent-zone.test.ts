import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { confirmInParentZone } from '../../../../src/domains/domain/record/record-values.js';
import { createZoneWitness } from '../../../../src/domains/dns/authoritative-zone-witness.js';
import { type DnsAnswer, dnsAnswers, FakeDns } from '../../../world/dns.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const name = DomainName.restore('own.example');
const HOSTS = ['NS2.hoster.example', 'ns1.hoster.example'];
const SORTED = ['ns1.hoster.example', 'ns2.hoster.example'];
const DS = [
  { keyTag: 500, algorithm: 13, digestType: 2, digest: 'AB'.repeat(32) },
  { keyTag: 12345, algorithm: 13, digestType: 4, digest: 'CD'.repeat(48) },
];
const clock = new TestClock();
const dns = running(() => FakeDns.start());

const zoneAt = (...servers: string[]) =>
  createZoneWitness(readConfig({ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: servers.join() }), clock);
const read = (timeoutMs = 3_000) => zoneAt(dns.host).read(name, timeoutMs);
/** Answers questions of one type only. */
const onlyFor =
  (type: 'NS' | 'DS', answer: DnsAnswer, otherwise: DnsAnswer): DnsAnswer =>
  (asked) =>
    (asked.query.questions?.[0]?.type === type ? answer : otherwise)(asked);

beforeEach(() => {
  dns.publishes('own.example', HOSTS, DS);
  dns.otherwise = dnsAnswers.nxdomain;
});

describe('a query to the parent zone', () => {
  it('returns the name servers and DS records of a name', async () => {
    const answer = await read();
    expect(answer).toMatchObject({ nameservers: SORTED, ds: [DS[1], DS[0]] });
    expect(answer?.evidence).toMatchObject([
      { source: 'dns', server: dns.host, outcome: 'found', rule: 'dns.delegated' },
      { source: 'dns', server: dns.host, outcome: 'found', rule: 'dns.ds' },
    ]);
  });

  it.each([
    ['an unsigned delegation', dnsAnswers.delegation(HOSTS), SORTED, []],
    ['a name that does not exist', dnsAnswers.nxdomain, [], []],
    ['a server that sends no DS records', dnsAnswers.referral(HOSTS), SORTED, null],
    ['a server failure', dnsAnswers.serverFailure, null, null],
    ['a refused query for name servers', onlyFor('NS', dnsAnswers.refused, dnsAnswers.noRecord), null, []],
    ['an answer with another message ID', dnsAnswers.wrongId, null, null],
  ])('returns no records as an empty list and unknown records as null: %s', async (_what, answer, nameservers, ds) => {
    dns.says('own.example', answer);
    expect(await read(300)).toMatchObject({ nameservers, ds });
  });

  it('returns null as name servers when every name has the same delegation', async () => {
    dns.otherwise = dnsAnswers.delegation(HOSTS);
    expect((await read())?.nameservers).toBeNull();
  });

  it('asks another server after a refusal', async () => {
    const refusing = await FakeDns.start();
    refusing.otherwise = dnsAnswers.refused;
    expect(await zoneAt(refusing.host, dns.host).read(name, 3_000)).toMatchObject({
      nameservers: SORTED,
      ds: [DS[1], DS[0]],
    });
    await refusing.stop();
  });

  it('returns null when DNS checks are turned off', async () => {
    expect(await zoneAt('off').read(name, 3_000)).toBeNull();
  });

  it('confirms or contradicts the registry’s records, or is inconclusive if the zone’s records are unknown', async () => {
    const answer = await read();
    if (!answer) throw new Error('DNS checks are on');
    const unknown = { ...answer, nameservers: null };
    expect(confirmInParentZone('nameservers', SORTED, answer)).toBe('confirmed');
    expect(confirmInParentZone('nameservers', ['ns1.other.example'], answer)).toBe('contradicted');
    expect(confirmInParentZone('nameservers', SORTED, unknown)).toBe('inconclusive');
    expect(confirmInParentZone('ds', [], answer)).toBe('contradicted');
  });
});
