import { AUTHORITATIVE_ANSWER } from 'dns-packet';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import type { DelegationChecker } from '../../../../src/domains/application/ports/delegation-checker.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { AuthoritativeDelegationChecker } from '../../../../src/domains/infrastructure/dns/authoritative-delegation-checker.js';
import { createDelegationChecker } from '../../../../src/domains/infrastructure/dns/create-delegation-checker.js';
import { type DnsAnswer, dnsAnswers, FakeDns, messageTo } from '../../../support/fakes/fake-dns.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

const name = DomainName.restore('lapsed.example');
const clock = new TestClock();
let dns: FakeDns;
let witness: DelegationChecker;

const witnessWith = (servers: string) =>
  createDelegationChecker(readConfig({ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: servers }), clock);

beforeAll(async () => {
  dns = await FakeDns.start();
  witness = witnessWith(dns.host);
});
afterAll(() => dns.stop());
beforeEach(() => {
  dns.releases('lapsed.example');
  dns.otherwise = dnsAnswers.nxdomain;
});

const forgery: DnsAnswer = ({ query, sendFromElsewhere }) =>
  sendFromElsewhere(messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER }));
const hear = async (answer: DnsAnswer, deadline = 3_000) => {
  dns.says('lapsed.example', answer);
  const testimony = await witness.check(name, deadline);
  return [testimony?.delegation, testimony?.evidence.rule];
};

describe('the DNS witness', () => {
  it.each([
    ['a referral of the parent', dnsAnswers.referral(), 'delegated', 'dns.delegated'],
    ['an answer of a server that has the zone itself', dnsAnswers.ownAnswer, 'delegated', 'dns.delegated'],
    ['the denial of the name', dnsAnswers.nxdomain, 'not_delegated', 'dns.nxdomain'],
    ['a name without name servers', dnsAnswers.noRecord, 'not_delegated', 'dns.no_delegation'],
    ['a referral to the root', dnsAnswers.rootReferral, 'inconclusive', 'dns.other_referral'],
    ['a server failure', dnsAnswers.serverFailure, 'inconclusive', 'dns.servfail'],
    ['a refusal', dnsAnswers.refused, 'inconclusive', 'dns.refused'],
    ['a truncated answer, whole over TCP', dnsAnswers.truncated, 'delegated', 'dns.delegated'],
    ['an answer that is truncated over TCP too', dnsAnswers.truncatedForEver, 'inconclusive', 'dns.no_answer'],
  ])('takes %s for what it is', async (_what, answer, delegation, rule) => {
    expect(await hear(answer)).toEqual([delegation, rule]);
  });

  it.each([
    ['silence', dnsAnswers.silence],
    ['an answer with another id', dnsAnswers.wrongId],
    ['an answer to another question', dnsAnswers.otherQuestion],
    ['an answer in another class', dnsAnswers.otherClass],
    ['an answer that is too large', dnsAnswers.oversized],
    ['bytes that are no message', dnsAnswers.noise],
  ])('hears nothing in %s, and is back within its deadline', async (_what, answer) => {
    expect(await hear(answer, 300)).toEqual(['inconclusive', 'dns.no_answer']);
  });

  it('makes do with what a slow registry left of the look', async () => {
    expect(await hear(dnsAnswers.nxdomain, 1_998.382)).toEqual(['not_delegated', 'dns.nxdomain']);
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
  ])('accepts the delegation of a lone server that %s', async (_what, answer) => {
    expect(await hear(answer)).toEqual(['delegated', 'dns.delegated']);
  });

  it.each([
    ['bytes that are no message', dnsAnswers.noise],
    ['answers with another id', dnsAnswers.wrongId],
    ['answers to another question', dnsAnswers.otherQuestion],
    ['denials in another class', dnsAnswers.otherClass],
    ['denials that are too large', dnsAnswers.oversized],
    ['denials from another address', forgery],
  ])('ignores %s before the true answer, however many', async (_what, noise) => {
    expect(await hear(dnsAnswers.behind(noise, 40, dnsAnswers.referral()))).toEqual(['delegated', 'dns.delegated']);
  });

  it('accepts the late delegation of one server after the denial of another', async () => {
    const other = await FakeDns.start();
    const two = witnessWith(`${dns.host},${other.host}`);
    dns.says('lapsed.example', dnsAnswers.late(1_500, dnsAnswers.referral()));
    expect(await two.check(name, 3_000)).toMatchObject({ delegation: 'delegated', evidence: { server: dns.host } });
    await other.stop();
  });

  it('does not believe whoever answers from another address, even with the right id', async () => {
    expect(await hear(dnsAnswers.forgedDenial)).toEqual(['delegated', 'dns.delegated']);
  });

  it('believes no delegation that every name has', async () => {
    dns.otherwise = dnsAnswers.referral();
    expect(await hear(dnsAnswers.referral())).toEqual(['inconclusive', 'dns.wildcard']);
  });

  it('still believes one that differs from what every name has', async () => {
    dns.otherwise = dnsAnswers.referral(['parking.registry.example']);
    expect(await hear(dnsAnswers.referral())).toEqual(['delegated', 'dns.delegated']);
  });

  it('believes a delegation whose control is not answered', async () => {
    dns.otherwise = dnsAnswers.silence;
    expect(await hear(dnsAnswers.referral())).toEqual(['delegated', 'dns.delegated']);
  });

  it('asks the next server where one is of no use', async () => {
    const deaf = await FakeDns.start();
    deaf.otherwise = dnsAnswers.refused;
    const two = witnessWith(`${deaf.host},${dns.host}`);
    dns.delegates('lapsed.example');
    expect(await two.check(name, 3_000)).toMatchObject({ delegation: 'delegated', evidence: { server: dns.host } });
    expect(deaf.queries('lapsed.example')).toBe(1);
    await deaf.stop();
  });

  it('asks a server that stands alone once more', async () => {
    const before = dns.queries('lapsed.example');
    await hear(dnsAnswers.serverFailure);
    expect(dns.queries('lapsed.example') - before).toBe(2);
  });

  it('says who said what, and when', async () => {
    dns.delegates('lapsed.example');
    expect(await witness.check(name, 3_000)).toEqual({
      delegation: 'delegated',
      evidence: {
        ...{ source: 'dns', server: dns.host, outcome: 'found', rule: 'dns.delegated', httpStatus: null },
        observedAt: clock.now(),
        excerpt: 'rcode 0; lapsed.example NS ns1.hoster.example; lapsed.example NS ns2.hoster.example',
      },
    });
  });

  it('is inconclusive where nothing listens', async () => {
    const gone = await FakeDns.start();
    const { host } = gone;
    await gone.stop();
    expect(await witnessWith(host).check(name, 3_000)).toMatchObject({
      delegation: 'inconclusive',
      evidence: { server: host, rule: 'dns.no_answer' },
    });
  });

  it('has not a moment when the registry took all the time', async () => {
    expect(await hear(dnsAnswers.silence, -5)).toEqual(['inconclusive', 'dns.no_answer']);
  });

  it.each([
    ['lacked the time', dnsAnswers.silence, 300, true, []],
    ['lacked the time for a slow answer', dnsAnswers.silence, 1_200, true, []],
    ['had the time, and heard nothing', dnsAnswers.silence, 3_000, undefined, ['lapsed.example']],
    ['was told that it is not known', dnsAnswers.serverFailure, 300, undefined, []],
  ])('says that it %s, and looks for other servers only if these were silent', async (...row) => {
    const [, answer, deadline, lackedTime, forgotten] = row;
    const forgot: string[] = [];
    const [address = '', port] = dns.host.split(':');
    const servers = {
      find: () => Promise.resolve([{ label: dns.host, address, port: Number(port), isParent: true }]),
      evict: ({ ascii }: DomainName) => void forgot.push(ascii),
    };
    dns.says('lapsed.example', answer);
    const heard = await new AuthoritativeDelegationChecker(servers, clock).check(name, deadline);
    expect([heard.delegation, heard.ranOutOfTime, forgot]).toEqual(['inconclusive', lackedTime, forgotten]);
  });

  it('does not exist when it is off', async () => {
    expect(await witnessWith('off').check(name, 3_000)).toBeNull();
  });
});
