import { AUTHORITATIVE_ANSWER } from 'dns-packet';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import {
  AuthoritativeZoneWitness,
  createZoneWitness,
  type ZoneWitness,
} from '../../../../src/domains/dns/authoritative-zone-witness.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { type DnsAnswer, dnsAnswers, FakeDns, messageTo } from '../../../world/dns.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const name = DomainName.restore('lapsed.example');
const clock = new TestClock();
const dns = running(() => FakeDns.start());
let checker: ZoneWitness;

const checkerWith = (servers: string) =>
  createZoneWitness(readConfig({ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: servers }), clock);

beforeAll(() => {
  checker = checkerWith(dns.host);
});
beforeEach(() => {
  dns.releases('lapsed.example');
  dns.otherwise = dnsAnswers.nxdomain;
});

const forgery: DnsAnswer = ({ query, sendFromElsewhere }) =>
  sendFromElsewhere(messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER }));
const check = async (answer: DnsAnswer, deadline = 3_000) => {
  dns.says('lapsed.example', answer);
  const result = await checker.ask(name, deadline);
  return [result?.says, result?.evidence.rule];
};

describe('the DNS check at the parent zone', () => {
  it.each([
    ['a referral to the name’s own servers', dnsAnswers.referral(), 'has_it', 'dns.delegated'],
    ['an answer from a server of the name’s own zone', dnsAnswers.ownAnswer, 'has_it', 'dns.delegated'],
    ['the name does not exist', dnsAnswers.nxdomain, 'denies', 'dns.nxdomain'],
    ['the name exists without name servers', dnsAnswers.noRecord, 'has_it', 'dns.in_zone'],
    ['the name exists with other records only', dnsAnswers.alias, 'has_it', 'dns.in_zone'],
    ['a referral to the root', dnsAnswers.rootReferral, 'silent', 'dns.other_referral'],
    ['a server failure', dnsAnswers.serverFailure, 'silent', 'dns.servfail'],
    ['a refused query', dnsAnswers.refused, 'silent', 'dns.refused'],
    ['a truncated answer that is complete over TCP', dnsAnswers.truncated, 'has_it', 'dns.delegated'],
    ['an answer that is truncated over TCP too', dnsAnswers.truncatedForEver, 'silent', 'dns.no_answer'],
  ])('classifies this answer of a name server: %s', async (_what, answer, says, rule) => {
    expect(await check(answer)).toEqual([says, rule]);
  });

  it.each([
    ['nothing', dnsAnswers.silence],
    ['an answer about another name', dnsAnswers.otherQuestion],
  ])('is inconclusive when the name server responds with %s', async (_what, answer) => {
    expect(await check(answer, 300)).toEqual(['silent', 'dns.no_answer']);
  });

  it('works when the time left is not a whole number of milliseconds', async () => {
    expect(await check(dnsAnswers.nxdomain, 1_998.382)).toEqual(['denies', 'dns.nxdomain']);
  });

  it.each([
    ['answers after 1.5 seconds', dnsAnswers.late(1_500, dnsAnswers.referral())],
    [
      'first delegates the name, then does not answer',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.silence),
    ],
    [
      'first delegates the name, then answers not found',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.nxdomain),
    ],
    [
      'first delegates the name, then fails',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.serverFailure),
    ],
  ])('reports the name as delegated when the zone’s only server %s', async (_what, answer) => {
    expect(await check(answer)).toEqual(['has_it', 'dns.delegated']);
  });

  it.each([
    ['bytes that are not a DNS message', dnsAnswers.noise],
    ['answers with another message ID', dnsAnswers.wrongId],
    ['not-found answers from another address', forgery],
  ])('ignores forty such packets before the true answer: %s', async (_what, noise) => {
    expect(await check(dnsAnswers.behind(noise, 40, dnsAnswers.referral()))).toEqual(['has_it', 'dns.delegated']);
  });

  it('prefers a late delegation from one server to a not-found answer from another', async () => {
    const other = await FakeDns.start();
    const two = checkerWith(`${dns.host},${other.host}`);
    dns.says('lapsed.example', dnsAnswers.late(1_500, dnsAnswers.referral()));
    expect(await two.ask(name, 3_000)).toMatchObject({ says: 'has_it', evidence: { server: dns.host } });
    await other.stop();
  });

  it('ignores an answer from another address, even with the right message id', async () => {
    expect(await check(dnsAnswers.forgedDenial)).toEqual(['has_it', 'dns.delegated']);
  });

  it('is inconclusive when every name in the zone has the same delegation (wildcard)', async () => {
    dns.otherwise = dnsAnswers.referral();
    expect(await check(dnsAnswers.referral())).toEqual(['silent', 'dns.wildcard']);
  });

  it('reports the name as delegated when its delegation differs from the wildcard’s', async () => {
    dns.otherwise = dnsAnswers.referral(['parking.registry.example']);
    expect(await check(dnsAnswers.referral())).toEqual(['has_it', 'dns.delegated']);
  });

  it('treats an empty answer as not found when every name gets an empty answer', async () => {
    dns.otherwise = dnsAnswers.noRecord;
    expect(await check(dnsAnswers.noRecord)).toEqual(['denies', 'dns.no_delegation']);
  });

  it('is inconclusive when the answer is a record that every name has', async () => {
    dns.otherwise = dnsAnswers.alias;
    expect(await check(dnsAnswers.alias)).toEqual(['silent', 'dns.other_records']);
  });

  it.each([
    ['has no record, while every other name has one', dnsAnswers.noRecord, dnsAnswers.alias],
    ['has a record, while every other name has none', dnsAnswers.alias, dnsAnswers.noRecord],
    ['is not delegated, while every other name is', dnsAnswers.noRecord, dnsAnswers.referral()],
  ])('reports as existing a name that %s', async (_how, answer, otherwise) => {
    dns.otherwise = otherwise;
    expect(await check(answer)).toEqual(['has_it', 'dns.in_zone']);
  });

  it.each([dnsAnswers.silence, dnsAnswers.serverFailure, dnsAnswers.refused])(
    'is inconclusive after an empty answer if the query for a random name fails: case %#',
    async (otherwise) => {
      dns.otherwise = otherwise;
      expect((await check(dnsAnswers.noRecord, 300))[0]).toBe('silent');
    },
  );

  it('reports the name as delegated even if the query for a random name gets no answer', async () => {
    dns.otherwise = dnsAnswers.silence;
    expect(await check(dnsAnswers.referral())).toEqual(['has_it', 'dns.delegated']);
  });

  it('queries the next server when the first one refuses to answer', async () => {
    const refusing = await FakeDns.start();
    refusing.otherwise = dnsAnswers.refused;
    const two = checkerWith(`${refusing.host},${dns.host}`);
    dns.delegates('lapsed.example');
    expect(await two.ask(name, 3_000)).toMatchObject({ says: 'has_it', evidence: { server: dns.host } });
    expect(refusing.queries('lapsed.example')).toBe(1);
    await refusing.stop();
  });

  it.each([
    ['a delegation', dnsAnswers.referral()],
    ['a not-found answer', dnsAnswers.nxdomain],
  ])('queries no second server after this answer: %s', async (_what, answer) => {
    const other = await FakeDns.start();
    dns.says('lapsed.example', answer);
    const before = dns.queries('lapsed.example');
    await checkerWith(`${dns.host},${other.host}`).ask(name, 3_000);
    expect([dns.queries('lapsed.example') - before, other.queries('lapsed.example')]).toEqual([1, 0]);
    await other.stop();
  });

  it('queries the only server of a zone again after a server failure', async () => {
    const before = dns.queries('lapsed.example');
    await check(dnsAnswers.serverFailure);
    expect(dns.queries('lapsed.example') - before).toBe(2);
  });

  it('returns evidence with the server, rule, time and DNS records', async () => {
    dns.delegates('lapsed.example');
    expect(await checker.ask(name, 3_000)).toEqual({
      says: 'has_it',
      evidence: {
        source: 'dns',
        server: dns.host,
        outcome: 'found',
        rule: 'dns.delegated',
        httpStatus: null,
        observedAt: clock.now(),
        excerpt: 'rcode 0; lapsed.example NS ns1.hoster.example; lapsed.example NS ns2.hoster.example',
      },
    });
  });

  it('is inconclusive when no server listens', async () => {
    const gone = await FakeDns.start();
    const { host } = gone;
    await gone.stop();
    expect(await checkerWith(host).ask(name, 3_000)).toMatchObject({
      says: 'silent',
      evidence: { server: host, rule: 'dns.no_answer' },
    });
  });

  it('is inconclusive when the registry lookup left no time', async () => {
    expect(await check(dnsAnswers.silence, -5)).toEqual(['silent', 'dns.no_answer']);
  });

  it.each([
    ['ran out of time after 300 ms', dnsAnswers.silence, 300, true, []],
    ['ran out of time after 1.2 seconds', dnsAnswers.silence, 1_200, true, []],
    ['got no answer in three seconds', dnsAnswers.silence, 3_000, undefined, ['lapsed.example']],
    ['got a server failure', dnsAnswers.serverFailure, 300, undefined, []],
  ])('reports that it %s, and forgets cached servers only if they had time but stayed silent', async (...row) => {
    const [, answer, deadline, lackedTime, expectedEvictions] = row;
    const evicted: string[] = [];
    const [address = '', port] = dns.host.split(':');
    const servers = {
      find: () => Promise.resolve([{ label: dns.host, address, port: Number(port), isParent: true }]),
      evict: ({ ascii }: DomainName) => void evicted.push(ascii),
    };
    dns.says('lapsed.example', answer);
    const result = await new AuthoritativeZoneWitness(servers, clock).ask(name, deadline);
    expect([result.says, result.ranOutOfTime, evicted]).toEqual(['silent', lackedTime, expectedEvictions]);
  });

  it('returns null when DNS checks are turned off', async () => {
    expect(await checkerWith('off').ask(name, 3_000)).toBeNull();
  });
});
