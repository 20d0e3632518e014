import { describe, expect, it } from '@jest/globals';
import { FakeDns } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as telling } from '../../world/whois.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const FIELDS = ['domain', 'available', 'status', 'expires_at', 'checked_at'];
const registry = running(() => FakeRegistry.start());
const dns = running(() => FakeDns.start());
const whois = running(() => FakeWhois.start());
const service = running(() =>
  startTestService({
    ROLE: 'api',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    DNS_SERVERS: dns.host,
    WHOIS_OVERRIDES: `lan=${whois.host}`,
    RDAP_OVERRIDES: ['com', 'de'].map((tld) => `${tld}=${registry.url}`).join(),
  }),
);

const check = (query: string) => service.call({ path: `/v1/domains/check?${query}` });

describe('a check with the expand parameter', () => {
  it('shows with expand=lifecycle the phase, the dates and when the name should become available', async () => {
    const dates = { registeredAt: new Date('2020-01-02T03:04:05Z'), expiresAt: new Date('2026-01-02T03:04:05Z') };
    registry.holds('lapsed.com', { statuses: ['pendingDelete'], ...dates });
    const { body } = await check('domain=lapsed.com&expand=lifecycle');
    expect(Object.keys(body)).toEqual([...FIELDS, 'lifecycle']);
    expect(body['lifecycle']).toEqual({
      phase: 'pending_delete',
      registry_statuses: ['pending delete'],
      registered_at: '2020-01-02T03:04:05.000Z',
      expires_at: '2026-01-02T03:04:05.000Z',
      publishes_expiry: true,
      registrable: 'no',
      auto_renewed_on: null,
      drop_window: { earliest: TIME, likely: null, latest: TIME, basis: expect.any(String), confidence: 'high' },
    });
  });

  it('has null for lifecycle values that the registry does not publish', async () => {
    const { body } = await check('domain=registered.test&expand=lifecycle');
    expect(body['lifecycle']).toMatchObject({ auto_renewed_on: null, drop_window: null });
    registry.holds('taken.de');
    expect((await check('domain=taken.de&expand=lifecycle')).body['lifecycle']).toMatchObject({
      expires_at: null,
      publishes_expiry: false,
      drop_window: null,
    });
  });

  it('shows with expand=record name servers, registrar, statuses, DS records and last transfer', async () => {
    registry.holds('owned.com', {
      statuses: ['clientTransferProhibited'],
      nameservers: ['NS2.Hoster.example.', 'ns1.hoster.example'],
      registrar: { name: 'Example Registrar', ianaId: '292' },
      ds: [{ keyTag: 5, algorithm: 13, digestType: 2, digest: 'ab'.repeat(32) }],
      transferredAt: new Date('2024-03-01T10:00:00Z'),
    });
    const expected = {
      nameservers: ['ns1.hoster.example', 'ns2.hoster.example'],
      registrar: { name: 'Example Registrar', iana_id: '292' },
      statuses: ['client transfer prohibited'],
      locked: true,
      ds: [{ key_tag: 5, algorithm: 13, digest_type: 2, digest: 'AB'.repeat(32) }],
      last_transfer: '2024-03-01T10:00:00.000Z',
    };
    const { body } = await check('domain=owned.com&expand=record');
    expect(Object.keys(body)).toEqual([...FIELDS, 'record']);
    expect(body['record']).toEqual(expected);
    const asked = registry.queries('owned.com');
    expect((await check('domain=owned.com&expand=record')).body['record']).toEqual(expected);
    expect(registry.queries('owned.com')).toBe(asked);
  });

  it('has null for record fields that the registry omits, and no record for an available name', async () => {
    registry.holds('partial.com');
    expect((await check('domain=partial.com&expand=record')).body['record']).toEqual({
      nameservers: null,
      registrar: null,
      statuses: ['active'],
      locked: false,
      ds: null,
      last_transfer: null,
    });
    expect((await check('domain=available.test&expand=record')).body['record']).toBeNull();
  });

  it('shows with expand=evidence what each server answered about an available name', async () => {
    const { body } = await check('domain=free.com&expand=evidence');
    expect(Object.keys(body)).toEqual([...FIELDS, 'evidence']);
    expect(body['evidence']).toEqual([
      {
        source: 'rdap',
        server: registry.host,
        outcome: 'absent',
        rule: 'rdap.404',
        http_status: 404,
        observed_at: TIME,
        excerpt: expect.stringContaining('Not Found'),
      },
      {
        source: 'dns',
        server: dns.host,
        outcome: 'absent',
        rule: 'dns.nxdomain',
        http_status: null,
        observed_at: TIME,
        excerpt: 'rcode 3, authoritative',
      },
      {
        source: 'rdap',
        server: registry.host,
        outcome: expect.stringMatching(/found|inconclusive/),
        rule: expect.stringMatching(/^canary\./),
        http_status: null,
        observed_at: TIME,
        excerpt: expect.not.stringContaining('.com'),
      },
    ]);
  });
});

describe('a check without valid expand values', () => {
  it('has exactly the five basic fields if expand is absent', async () => {
    expect(Object.keys((await check('domain=free.com')).body)).toEqual(FIELDS);
  });

  it.each(['expand=lifecycle,history', 'expand=lifecycle,%20evidence', 'expand='])(
    'is refused with 400 if the query has %s',
    async (query) => {
      const errors = [{ pointer: '#query/expand' }];
      const answer = await check(`domain=registered.test&${query}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors } });
    },
  );
});

describe('a check under a TLD that has only WHOIS', () => {
  it('reports registered, available and reserved names from the WHOIS answer', async () => {
    whois.holds('example.lan', '2099-06-01T12:00:00Z');
    expect(await check('domain=example.lan')).toMatchObject({
      status: 200,
      body: { available: false, status: 'registered', expires_at: '2099-06-01T12:00:00.000Z' },
    });
    expect(await check(`domain=${encodeURIComponent('bücher.lan')}`)).toMatchObject({
      status: 200,
      body: { domain: 'xn--bcher-kva.lan', available: true, status: 'available', expires_at: null },
    });
    whois.says('reserved.lan', telling(['Domain: reserved.lan', 'Status: reserved']));
    expect((await check('domain=reserved.lan')).body).toMatchObject({ available: false, status: 'reserved' });
  });
});
