import type { Answer as DnsRecord } from 'dns-packet';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { rdapRecord } from '../../support/builders/rdap-answers.js';
import { eventually } from '../../support/eventually.js';
import { type DnsAnswer, FakeDns, messageTo } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as whoisSaying } from '../../world/whois.js';
import { type RegistryAnswer, saying } from '../../world/registry-faults.js';
import { answerForSystem } from '../../support/fakes/system-resolver.js';
import { Listening } from '../../world/listening.js';
import { WebhookReceiver } from '../../world/receiver.js';
import { startTestService } from '../../support/servers/test-service.js';

/** The only address that the settings allow; it stands for a public address. */
const OUTSIDE = '127.0.0.1';
/** This address stands for a private one. */
const INSIDE = '127.0.0.2';
const [MOVING_HOOK, MOVING_RDAP, MOVING_WHOIS] = ['hooks.moving.test', 'rdap.moving.test', 'whois.moving.test'];

const dns = running(() => FakeDns.start());
const registry = running(() => FakeRegistry.start());
const moving = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const receiver = running(() => WebhookReceiver.startTrusted([MOVING_HOOK]));
/** Servers at the private address that should never be connected to, on the ports of servers outside. */
const inner = [receiver, moving, whois].map((server) =>
  running(() => Listening.on(createServer(), server.port, INSIDE)),
);
const service = running(() =>
  startTestService({
    ...receiver.settings,
    ROLE: 'all',
    WEBHOOK_ALLOW_NETWORKS: OUTSIDE,
    LOOKUP_ALLOW_NETWORKS: OUTSIDE,
    RDAP_OVERRIDES: `com=${registry.url},net=http://${MOVING_RDAP}:${moving.port}/rdap/`,
    WHOIS_OVERRIDES: `lv=${whois.host},lt=${MOVING_WHOIS}:${whois.port}`,
  }),
);
let endDns: () => void;
beforeAll(() => {
  endDns = answerForSystem(dns);
});
afterAll(() => endDns());
beforeEach(() => {
  for (const server of inner) server.accepted = 0;
  receiver.answersWith(204, { connection: 'close' });
});

const connectionsInside = () => inner.reduce((sum, { accepted }) => sum + accepted, 0);

/** These addresses of both families, which no cache may keep; `alias` names lead from one to the next before. */
function at(addresses: readonly string[], aliases: readonly string[] = []): DnsAnswer {
  return ({ query, name, send }) => {
    const type = query.questions?.[0]?.type;
    const owner = aliases.at(-1) ?? name;
    const chain = aliases.map((data, n): DnsRecord => ({ type: 'CNAME', name: aliases[n - 1] ?? name, ttl: 0, data }));
    const found = addresses
      .filter((address) => (type === 'AAAA') === address.includes(':'))
      .map((data): DnsRecord => ({ type: type === 'AAAA' ? 'AAAA' : 'A', name: owner, ttl: 0, data }));
    send(messageTo(query, { answers: [...chain, ...found] }));
  };
}

/** The first of them is for the first resolution, and so on; the last is for ever. A resolution is one question for A. */
function inTurn(...answers: DnsAnswer[]): DnsAnswer {
  let resolutions = 0;
  return (asked) => {
    if (asked.query.questions?.[0]?.type !== 'A') return at([])(asked);
    const answer = answers[Math.min(resolutions, answers.length - 1)];
    resolutions += 1;
    answer?.(asked);
  };
}

/** The ways of a name to a private address. */
const LEADS_INSIDE: [string, DnsAnswer][] = [
  ['to a private address', at([INSIDE])],
  ['to a public and a private address', at([OUTSIDE, INSIDE])],
  ['to a private and a public address', at([INSIDE, OUTSIDE])],
  ['to a public IPv4 and a private IPv6 address', at([OUTSIDE, '::1'])],
  ['to an IPv4-mapped private address', at([`::ffff:${INSIDE}`])],
  ['to a NAT64 form of a private address', at(['64:ff9b::7f00:2'])],
  ['to a private address, by a chain of aliases', at([INSIDE], ['one.moving.test', 'two.moving.test', 'localhost'])],
];

describe('a webhook', () => {
  const outcomes = async (channel: string) => {
    const { body } = await service.call({ path: `/v1/notifications/${channel}/deliveries` });
    const deliveries = body['data'] as { attempts: { outcome: string | null }[] }[];
    return deliveries.map(({ attempts }) => attempts[0]?.outcome ?? null); // null: it is under way
  };
  const open = async () => {
    const body = { type: 'webhook', target: `https://${MOVING_HOOK}:${receiver.port}/${Math.random()}` };
    return String((await service.call({ method: 'POST', path: '/v1/notifications', body })).body['id']);
  };
  /** @returns the outcome of one more delivery */
  const deliver = async (channel: string) => {
    const before = (await outcomes(channel)).length;
    await service.call({ method: 'POST', path: `/v1/notifications/${channel}/test`, body: {} });
    const [latest] = await eventually(
      () => outcomes(channel),
      (all) => all.length > before && all[0] !== null,
    );
    return latest;
  };

  it.each(LEADS_INSIDE)('is blocked at delivery if its host name now resolves %s', async (_, answer) => {
    dns.says(MOVING_HOOK, at([OUTSIDE]));
    const channel = await open();
    dns.says(MOVING_HOOK, answer);
    expect(await deliver(channel)).toBe('blocked');
    expect(connectionsInside()).toBe(0);
  });

  it('goes to the address that was checked, even if the host name then resolves differently', async () => {
    dns.says(MOVING_HOOK, inTurn(at([OUTSIDE]), at([INSIDE])));
    const channel = await open();
    expect([await deliver(channel), await deliver(channel)]).toEqual(['ok', 'blocked']);
    expect(connectionsInside()).toBe(0);
  });
});

/** A check of the name: its status, or the reason why there is none. */
const check = async (domain: string) => {
  const { status, body } = await service.call({ path: `/v1/domains/check?domain=${domain}&max_age=0` });
  return { status, code: body['code'] ?? body['status'] };
};
const REGISTERED = { status: 200, code: 'registered' };
const UNREACHABLE = { status: 502, code: 'registry_unreachable' };
const UNUSABLE = { status: 502, code: 'registry_answer_unusable' };
let names = 0;
const aName = (tld: string) => `name${(names += 1)}.${tld}`;
const redirect =
  (location: string): RegistryAnswer =>
  (reply, name) =>
    saying(302, '', { location: location.replace('{name}', name), connection: 'close' })(reply, name);
describe('a lookup by RDAP', () => {
  it.each(LEADS_INSIDE)('fails if the server’s host name now resolves %s', async (_, answer) => {
    const name = aName('net');
    moving.says(name, saying(200, rdapRecord(name), { connection: 'close' }));
    dns.says(MOVING_RDAP, at([OUTSIDE]));
    expect(await check(name)).toEqual(REGISTERED);
    dns.says(MOVING_RDAP, answer);
    expect(await check(name)).toEqual(UNREACHABLE);
    expect([moving.queries(name), connectionsInside()]).toEqual([1, 0]);
  });

  it('follows no redirect to the same host name if that name now resolves to a private address', async () => {
    const name = aName('net');
    dns.says(MOVING_RDAP, inTurn(at([OUTSIDE]), at([INSIDE])));
    moving.says(name, redirect(`http://${MOVING_RDAP}:${moving.port}/rdap/v2/domain/{name}`));
    expect(await check(name)).toEqual(UNREACHABLE);
    expect([moving.queries(name), connectionsInside()]).toEqual([1, 0]);
  });

  it('connects to no server that the RDAP record links to', async () => {
    const name = aName('com');
    const related = {
      rel: 'related',
      type: 'application/rdap+json',
      href: `http://${INSIDE}:${moving.port}/domain/${name}`,
    };
    const record = { ...rdapRecord(name), links: [related], port43: `${INSIDE}:${whois.port}` };
    registry.says(name, saying(200, record));
    expect(await check(name)).toEqual(REGISTERED);
    expect(connectionsInside()).toBe(0);
  });
});

describe('a lookup by WHOIS', () => {
  it.each(LEADS_INSIDE)('fails if the server’s host name now resolves %s', async (_, answer) => {
    const name = aName('lt');
    whois.holds(name);
    dns.says(MOVING_WHOIS, at([OUTSIDE]));
    expect(await check(name)).toEqual(REGISTERED);
    dns.says(MOVING_WHOIS, answer);
    expect(await check(name)).toEqual(UNREACHABLE);
    expect(connectionsInside()).toBe(0);
  });

  it.each([
    'refer: {inside}',
    'whois: {inside}',
    'ReferralServer: whois://{inside}',
    'Whois Server: {inside}',
    'Registrar WHOIS Server: {inside}',
    'Registrar URL: http://{inside}/',
    'refer: {itself}',
  ])('does not follow this referral in the answer: %s', async (line) => {
    const name = aName('lv');
    const referral = line.replace('{inside}', `${INSIDE}:${whois.port}`).replace('{itself}', whois.host);
    const record = [
      `Domain Name: ${name.toUpperCase()}`,
      'Registrar: Example',
      'Registry Expiry Date: 2030-01-01T00:00:00Z',
    ];
    const asked = whois.queries.length;
    whois.says(name, whoisSaying([referral, ...record, referral]));
    expect(await check(name)).toEqual(REGISTERED);
    whois.says(name, whoisSaying([referral]));
    expect(await check(name)).toEqual(UNUSABLE);
    expect([whois.queries.length - asked, connectionsInside()]).toEqual([2, 0]);
  });
});
