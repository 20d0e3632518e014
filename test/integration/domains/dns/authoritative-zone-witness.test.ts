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

describe('the zone witness', () => {
  it.each([
    ['a referral of the parent', dnsAnswers.referral(), 'has_it', 'dns.delegated'],
    ['an answer of a server that has the zone itself', dnsAnswers.ownAnswer, 'has_it', 'dns.delegated'],
    ['the denial of the name', dnsAnswers.nxdomain, 'denies', 'dns.nxdomain'],
    ['a name that is there without name servers', dnsAnswers.noRecord, 'has_it', 'dns.in_zone'],
    ['a name that is there with other records only', dnsAnswers.alias, 'has_it', 'dns.in_zone'],
    ['a referral to the root', dnsAnswers.rootReferral, 'silent', 'dns.other_referral'],
    ['a server failure', dnsAnswers.serverFailure, 'silent', 'dns.servfail'],
    ['a refusal', dnsAnswers.refused, 'silent', 'dns.refused'],
    ['a truncated answer, whole over TCP', dnsAnswers.truncated, 'has_it', 'dns.delegated'],
    ['an answer that is truncated over TCP too', dnsAnswers.truncatedForEver, 'silent', 'dns.no_answer'],
  ])('classifies %s', async (_what, answer, says, rule) => {
    expect(await check(answer)).toEqual([says, rule]);
  });

  it.each([
    ['silence', dnsAnswers.silence],
    ['an answer to another question', dnsAnswers.otherQuestion],
  ])('gets no answer from %s', async (_what, answer) => {
    expect(await check(answer, 300)).toEqual(['silent', 'dns.no_answer']);
  });

  it('uses only the time that remains after a slow registry', async () => {
    expect(await check(dnsAnswers.nxdomain, 1_998.382)).toEqual(['denies', 'dns.nxdomain']);
  });

  it.each([
    ['answers after 1.5 seconds', dnsAnswers.late(1_500, dnsAnswers.referral())],
    [
      'answers only the first question',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.silence),
    ],
    [
      'denies what it delegated before',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.nxdomain),
    ],
    [
      'fails when asked again',
      dnsAnswers.firstThen(dnsAnswers.late(1_500, dnsAnswers.referral()), dnsAnswers.serverFailure),
    ],
  ])('accepts the delegation of a single server that %s', async (_what, answer) => {
    expect(await check(answer)).toEqual(['has_it', 'dns.delegated']);
  });

  it.each([
    ['bytes that are no message', dnsAnswers.noise],
    ['answers with another id', dnsAnswers.wrongId],
    ['denials from another address', forgery],
  ])('ignores %s before the true answer, however many', async (_what, noise) => {
    expect(await check(dnsAnswers.behind(noise, 40, dnsAnswers.referral()))).toEqual(['has_it', 'dns.delegated']);
  });

  it('accepts the late delegation of one server after the denial of another', async () => {
    const other = await FakeDns.start();
    const two = checkerWith(`${dns.host},${other.host}`);
    dns.says('lapsed.example', dnsAnswers.late(1_500, dnsAnswers.referral()));
    expect(await two.ask(name, 3_000)).toMatchObject({ says: 'has_it', evidence: { server: dns.host } });
    await other.stop();
  });

  it('ignores answers from another address, even with the right id', async () => {
    expect(await check(dnsAnswers.forgedDenial)).toEqual(['has_it', 'dns.delegated']);
  });

  it('rejects a delegation that every name has (wildcard)', async () => {
    dns.otherwise = dnsAnswers.referral();
    expect(await check(dnsAnswers.referral())).toEqual(['silent', 'dns.wildcard']);
  });

  it('accepts a delegation that differs from the wildcard', async () => {
    dns.otherwise = dnsAnswers.referral(['parking.registry.example']);
    expect(await check(dnsAnswers.referral())).toEqual(['has_it', 'dns.delegated']);
  });

  it('treats an empty answer as a denial when every name gets an empty answer', async () => {
    dns.otherwise = dnsAnswers.noRecord;
    expect(await check(dnsAnswers.noRecord)).toEqual(['denies', 'dns.no_delegation']);
  });

  it('learns nothing from a record that every name has', async () => {
    dns.otherwise = dnsAnswers.alias;
    expect(await check(dnsAnswers.alias)).toEqual(['silent', 'dns.other_records']);
  });

  it.each([
    ['is empty where every other name has a record', dnsAnswers.noRecord, dnsAnswers.alias],
    ['has a record where every other name is empty', dnsAnswers.alias, dnsAnswers.noRecord],
    ['is not delegated where every other name is', dnsAnswers.noRecord, dnsAnswers.referral()],
  ])('finds a name in its zone that %s', async (_how, answer, otherwise) => {
    dns.otherwise = otherwise;
    expect(await check(answer)).toEqual(['has_it', 'dns.in_zone']);
  });

  it.each([dnsAnswers.silence, dnsAnswers.serverFailure, dnsAnswers.refused])(
    'is inconclusive after an empty answer while the control query has no result: %#',
    async (otherwise) => {
      dns.otherwise = otherwise;
      expect((await check(dnsAnswers.noRecord, 300))[0]).toBe('silent');
    },
  );

  it('accepts a delegation whose control query is not answered', async () => {
    dns.otherwise = dnsAnswers.silence;
    expect(await check(dnsAnswers.referral())).toEqual(['has_it', 'dns.delegated']);
  });

  it('queries the next server after an unusable answer', async () => {
    const refusing = await FakeDns.start();
    refusing.otherwise = dnsAnswers.refused;
    const two = checkerWith(`${refusing.host},${dns.host}`);
    dns.delegates('lapsed.example');
    expect(await two.ask(name, 3_000)).toMatchObject({ says: 'has_it', evidence: { server: dns.host } });
    expect(refusing.queries('lapsed.example')).toBe(1);
    await refusing.stop();
  });

  it.each([
    ['delegation', dnsAnswers.referral()],
    ['denial', dnsAnswers.nxdomain],
  ])('asks no other server after a %s', async (_what, answer) => {
    const other = await FakeDns.start();
    dns.says('lapsed.example', answer);
    const before = dns.queries('lapsed.example');
    await checkerWith(`${dns.host},${other.host}`).ask(name, 3_000);
    expect([dns.queries('lapsed.example') - before, other.queries('lapsed.example')]).toEqual([1, 0]);
    await other.stop();
  });

  it('queries the server twice when the zone has only one', async () => {
    const before = dns.queries('lapsed.example');
    await check(dnsAnswers.serverFailure);
    expect(dns.queries('lapsed.example') - before).toBe(2);
  });

  it('returns evidence with server, rule and time', async () => {
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

  it('returns at once when the registry used up all the time', async () => {
    expect(await check(dnsAnswers.silence, -5)).toEqual(['silent', 'dns.no_answer']);
  });

  it.each([
    ['lacked the time', dnsAnswers.silence, 300, true, []],
    ['lacked the time for a slow answer', dnsAnswers.silence, 1_200, true, []],
    ['had time and got no answer', dnsAnswers.silence, 3_000, undefined, ['lapsed.example']],
    ['got a server failure', dnsAnswers.serverFailure, 300, undefined, []],
  ])('reports that it %s, and evicts servers only when they did not answer', async (...row) => {
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

  it('returns null when it is switched off', async () => {
    expect(await checkerWith('off').ask(name, 3_000)).toBeNull();
  });
});
