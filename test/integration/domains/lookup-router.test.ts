import { describe, expect, it } from '@jest/globals';
import { DomainName, InvalidDomainNameError } from '../../../src/domains/domain/name/domain-name.js';
import { PublicSuffixList } from '../../../src/domains/sources/lookup-sources.js';
import { extensionRouter } from '../../support/builders/extension-router.js';
import { loopbackHttp } from '../../support/builders/lookup-sources.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois } from '../../world/whois.js';
import { registryFaults } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';

const registry = running(() => FakeRegistry.start());
const http = loopbackHttp();

/** Lookup and suffixes as in a process with these settings; only the fake registry is queried. */
function withSettings(settings: Record<string, string> = {}) {
  const { lookUp, sources } = extensionRouter([], settings, http);
  const suffixes = new PublicSuffixList(sources);
  return {
    lookUp,
    standing: (name: string) => {
      try {
        return DomainName.parse(name, suffixes).ascii;
      } catch (error) {
        if (error instanceof InvalidDomainNameError) return error.code;
        throw error;
      }
    },
  };
}

describe('a lookup', () => {
  it('queries the server of the TLD', async () => {
    registry.holds('example.com', { statuses: ['pending delete'] });
    const { lookUp } = withSettings({ RDAP_OVERRIDES: `com=${registry.url}` });
    expect(await lookUp('example.com')).toMatchObject({ source: 'rdap', facts: { statuses: ['pending delete'] } });
    expect(await lookUp('free.com')).toMatchObject({ source: 'rdap', facts: { outcome: 'absent' } });
  });

  it('sends no query for a sandbox name, even with an RDAP override', async () => {
    const { lookUp } = withSettings({ RDAP_OVERRIDES: `test=${registry.url}` });
    expect(await lookUp('pending-delete.test')).toMatchObject({
      source: 'sandbox',
      facts: { statuses: ['pending delete'] },
    });
    expect(await lookUp('throttled.test')).toMatchObject({
      kind: 'failure',
      code: 'registry_throttled',
      retryAfterSeconds: 30,
      registry: 'sandbox',
      evidence: [{ source: 'sandbox', outcome: 'inconclusive', rule: 'sandbox.throttled' }],
    });
    expect(registry.queries('pending-delete.test')).toBe(0);
  });

  it('queries the configured server for a .test name when the sandbox is off', async () => {
    registry.holds('available.test');
    const { lookUp } = withSettings({ SANDBOX: 'off', RDAP_OVERRIDES: `test=${registry.url}` });
    expect(await lookUp('available.test')).toMatchObject({ source: 'rdap', facts: { outcome: 'found' } });
  });

  it('fails when no server is known for the TLD', async () => {
    const { lookUp } = withSettings({ SANDBOX: 'off' });
    expect(await lookUp('available.test')).toMatchObject({
      kind: 'failure',
      code: 'tld_unsupported',
      registry: '.test',
    });
    expect(await lookUp('example.com')).toMatchObject({ kind: 'failure', code: 'tld_unsupported', registry: '.com' });
  });
});

describe('a name to watch', () => {
  const overrides = ['com', 'uk', 'io', 'lan', 'cn'].map((tld) => `${tld}=http://127.0.0.1:9`).join();

  it.each([
    ['example.com', 'example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['example.uk', 'example.uk'],
    ['github.io', 'github.io'],
    ['blogspot.com', 'blogspot.com'],
    ['printer.lan', 'printer.lan'],
    ['公司.cn', 'domain_is_public_suffix'],
    ['例子.公司.cn', 'xn--fsqu00a.xn--55qx5d.cn'],
    ['co.uk', 'domain_is_public_suffix'],
    ['www.example.co.uk', 'not_registrable'],
    ['a.printer.lan', 'not_registrable'],
    ['me.github.io', 'domain_private_suffix'],
    ['a.me.github.io', 'domain_private_suffix'],
    ['example.uk.com', 'domain_private_suffix'],
    ['registered.test', 'registered.test'],
    ['www.registered.test', 'not_registrable'],
    ['example.org', 'tld_unsupported'],
    ['example.nonsense', 'tld_unsupported'],
    ['www.example.org', 'not_registrable'],
    ['co.jp', 'domain_is_public_suffix'],
    ['www.example.nonsense', 'tld_unsupported'],
  ])('is accepted in ASCII form, or refused with a code: %s gives %s', (name, standing) => {
    expect(withSettings({ RDAP_OVERRIDES: overrides }).standing(name)).toBe(standing);
  });

  it('is looked up at the registry of its suffix (uk.com), not of its TLD (com)', () => {
    const settings = { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:9/dns.json', RDAP_OVERRIDES: overrides };
    const { sources } = extensionRouter([], settings, http);
    const serverOf = (name: string) => sources.findKnownServer(DomainName.restore(name))?.host;
    expect(serverOf('example.uk.com')).toBe('rdap.centralnic.com');
    expect(serverOf('example.co.ua')).toBe('whois.co.ua');
    expect(serverOf('example.com')).toBe('127.0.0.1');
  });

  it('is refused under .test when the sandbox is off', () => {
    expect(withSettings({ SANDBOX: 'off' }).standing('registered.test')).toBe('tld_unsupported');
  });

  it('may be in any TLD of the built-in RDAP and WHOIS tables', () => {
    const { standing } = withSettings({ RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:9/dns.json' });
    expect(['example.com', 'example.de', 'example.app', 'example.eu', 'example.gr'].map(standing)).toEqual([
      'example.com',
      'example.de',
      'example.app',
      'example.eu',
      'tld_unsupported',
    ]);
  });

  it('may be in a TLD with a WHOIS override', () => {
    const { standing } = withSettings({ WHOIS_OVERRIDES: 'gr=127.0.0.1:9' });
    expect(['example.gr', 'example.eu'].map(standing)).toEqual(['example.gr', 'tld_unsupported']);
  });
});

describe('a TLD with both RDAP and WHOIS', () => {
  const whois = running(() => FakeWhois.start());

  it('is queried over RDAP only, without fallback to WHOIS when RDAP fails', async () => {
    registry.says('example.lan', registryFaults.overloaded());
    const { lookUp } = withSettings({ RDAP_OVERRIDES: `lan=${registry.url}`, WHOIS_OVERRIDES: `lan=${whois.host}` });
    const before = whois.queries.length;
    expect(await lookUp('example.lan')).toMatchObject({ kind: 'failure', evidence: [{ source: 'rdap' }] });
    expect(whois.queries).toHaveLength(before);
  });
});
