import { describe, expect, it } from '@jest/globals';
import { parseBootstrapDocument } from '../../../../src/domains/rdap/rdap-bootstrap.js';
import {
  BUILT_IN_RDAP_SERVERS,
  RDAP_SERVERS_OUTSIDE_BOOTSTRAP,
} from '../../../../src/domains/rdap/rdap-built-in-servers.js';
import { bootstrapDocument } from '../../../support/builders/rdap-answers.js';

function serversOf(services: Record<string, string[]>) {
  const read = parseBootstrapDocument(JSON.stringify(bootstrapDocument(services)));
  if ('problem' in read) throw new Error(read.problem);
  return { of: (tld: string) => read.servers.get(tld)?.href, insecure: read.insecure };
}

describe('an RDAP bootstrap document', () => {
  it('gives the https server of each TLD as a base URL ending in a slash', () => {
    const servers = serversOf({
      com: ['https://rdap.example/com/v1/'],
      ORG: ['http://rdap.example/org/', 'https://rdap.example/org'],
    });
    expect(['com', 'org', 'net'].map(servers.of)).toEqual([
      'https://rdap.example/com/v1/',
      'https://rdap.example/org/',
      undefined,
    ]);
  });

  it('gives no server for a TLD without https, and lists the TLD as insecure', () => {
    const servers = serversOf({
      kg: ['http://rdap.example/'],
      mg: ['ftp://rdap.example/', 'nonsense'],
      com: ['https://a.example/'],
    });
    expect([servers.of('kg'), servers.insecure]).toEqual([undefined, ['kg', 'mg']]);
  });

  it.each([
    ['HTML in place of JSON', '<html>'],
    ['null', 'null'],
    [
      'deep nesting',
      JSON.stringify(bootstrapDocument({})).replace(/}$/, `,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    ],
    ['a list', '[]'],
    ['no services', '{"version":"1.0"}'],
    ['services that are strings', JSON.stringify({ services: Array(600).fill('com') })],
    ['a service without URLs', JSON.stringify({ services: Array(600).fill([['com'], []]) })],
    ['a service of numbers', JSON.stringify({ services: [...bootstrapDocument({}).services, [[1], [2]]] })],
    ['a truncated document', JSON.stringify(bootstrapDocument({})).slice(0, -10)],
    ['too few services', JSON.stringify(bootstrapDocument({}, 99))],
  ])('is refused as invalid: %s', (_what, body) => {
    expect(parseBootstrapDocument(body)).toEqual({ problem: expect.any(String) });
  });
});

describe('the built-in table of RDAP servers', () => {
  it('lists the most used TLDs, each with an https base URL ending in a slash', () => {
    for (const tld of ['com', 'net', 'org', 'info', 'xyz', 'app', 'dev', 'shop', 'uk', 'fr', 'nl', 'br', 'ai'])
      expect(BUILT_IN_RDAP_SERVERS.has(tld)).toBe(true);
    for (const base of [...BUILT_IN_RDAP_SERVERS.values(), ...RDAP_SERVERS_OUTSIDE_BOOTSTRAP.values()])
      expect(base.href).toMatch(/^https:\/\/[a-z0-9.-]+\/([a-z0-9./-]+\/)?$/);
  });

  it("shares no TLD with the table of servers missing from IANA's list", () => {
    expect([...RDAP_SERVERS_OUTSIDE_BOOTSTRAP.keys()].filter((tld) => BUILT_IN_RDAP_SERVERS.has(tld))).toEqual([]);
    expect(RDAP_SERVERS_OUTSIDE_BOOTSTRAP.has('co')).toBe(false);
    expect(BUILT_IN_RDAP_SERVERS.get('com')?.href).toBe('https://rdap.verisign.com/com/v1/');
  });
});
