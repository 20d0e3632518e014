import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reading } from './whois-answers.js';

const DIGEST = '49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4ACABCD';
const ICANN = [
  'Domain Name: EXAMPLE.TLD',
  'Registrar WHOIS Server: whois.registrar.example',
  'Registrar: Example Registrar, Inc.',
  'Registrar IANA ID: 292',
  'Registrar Abuse Contact Email: abuse@registrar.example',
  'Registrant Name: Maria Beispiel',
  'Creation Date: 2019-06-01T10:00:00Z',
  'Registry Expiry Date: 2027-06-01T10:00:00Z',
  'Last Transferred Date: 2024-03-01T10:00:00Z',
  'Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited',
  'Domain Status: ok https://icann.org/epp#ok',
  'Name Server: NS2.EXAMPLE.NET',
  'Name Server: ns1.example.net.',
  'DNSSEC: signedDelegation',
  `DNSSEC DS Data: 12345 13 2 ${DIGEST.toLowerCase()}`,
];
const without = (...labels: string[]) => ICANN.filter((line) => !labels.some((label) => line.startsWith(`${label}:`)));

function recordOf(answer: readonly string[]) {
  const read = reading('example.tld', answer);
  expect(read).toMatchObject({ kind: 'facts', facts: { outcome: 'found' } });
  return read.kind === 'facts' ? read.record : undefined;
}
const serversOf = (...lines: string[]) => recordOf([...without('Name Server'), '', ...lines])?.nameservers;

describe('the registration record in a WHOIS answer', () => {
  it('has name servers, registrar, statuses, DS records and the last transfer', () => {
    expect(recordOf(ICANN)).toEqual({
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      registrar: { name: 'Example Registrar, Inc.', ianaId: '292' },
      statuses: ['active', 'client transfer prohibited'],
      ds: [{ keyTag: 12345, algorithm: 13, digestType: 2, digest: DIGEST }],
      lastTransferAt: new Date('2024-03-01T10:00:00Z'),
    });
  });

  it('has null for every field that the answer lacks or leaves empty', () => {
    const labels = ['Name Server', 'Registrar', 'Registrar IANA ID', 'DNSSEC', 'DNSSEC DS Data', 'Domain Status'];
    const nothing = { nameservers: null, registrar: null, statuses: null, ds: null, lastTransferAt: null };
    const bare = without(...labels, 'Last Transferred Date');
    expect(recordOf(bare)).toEqual(nothing);
    expect(recordOf([...bare, 'Name Server:', 'Registrar: ', 'DNSSEC:', 'Last Transferred Date:', ''])).toEqual(
      nothing,
    );
  });

  it.each([
    ['the layout of RIPE', ['nserver: ns1.example.ru. 192.0.2.1', 'nserver: ns2.example.ru.']],
    ['on the lines below the label', ['Name servers:', '    ns1.example.ru    192.0.2.1', '    ns2.example.ru', '']],
    ['on one line', ['Nameservers: NS1.EXAMPLE.RU, ns2.example.ru']],
    ['in columns', ['Name Server           ns1.example.ru', 'Name Server           ns2.example.ru']],
    [
      'beside other fields about name servers',
      ['nserver: ns1.example.ru', 'Name Server IP: 192.0.2.1', 'ns 2: ns2.example.ru'],
    ],
    [
      'beside the field "ns-list" of AFNIC',
      ['ns-list: NSL1-FRNIC', 'nserver: ns1.example.ru [192.0.2.1]', 'nserver: ns2.example.ru'],
    ],
    [
      'beside the domain name in the field "DNS"',
      ['DNS: example.tld', 'Hostname: ns1.example.ru', 'Hostname: ns2.example.ru'],
    ],
  ])('has the name servers in this layout: %s', (_, lines) => {
    expect(serversOf(...lines)).toEqual(['ns1.example.ru', 'ns2.example.ru']);
  });

  it.each([
    ['are a sentence', ['Name Server: no nameserver']],
    ['are only IP addresses', ['Name Server: 192.0.2.1']],
    [
      'fill more lines than the parser reads',
      ['Name servers:', ...Array.from({ length: 13 }, (_, at) => `  ns${at}.example.ru`)],
    ],
    ['are more than a thousand', Array.from({ length: 1_900 }, (_, at) => `Name Server: ns${at}.example.ru`)],
    ['have a name of 10 kB', [`Name Server: ${'a'.repeat(10_000)}.example`, 'Name Server: ns1.example.ru']],
  ])('has null for the name servers if they %s', (_, lines) => {
    expect(serversOf(...lines)).toBeNull();
  });

  it.each([
    ['unsigned', []],
    ['unsigned delegation, DNSSEC disabled, no records', []],
    ['no', []],
    ['Inactive', []],
    ['yes', null],
    ['signedDelegation', null],
    ['unsignable', null],
  ])('reads the DNSSEC value "%s" as the DS records %j', (value, expected) => {
    expect(recordOf([...without('DNSSEC', 'DNSSEC DS Data'), `DNSSEC: ${value}`])?.ds).toEqual(expected);
  });

  it('has null for the DS records if one is unreadable or contradicts DNSSEC', () => {
    expect(recordOf([...ICANN, 'DNSSEC DS Data: 59973 ECDSA-SHA-256 17A2'])?.ds).toBeNull();
    expect(recordOf([...without('DNSSEC'), 'DNSSEC: unsigned'])?.ds).toBeNull();
  });

  it.each([
    ['    Example Ltd t/a Example [Tag = EXAMPLE]', 'Example Ltd t/a Example'],
    ['    Example GmbH ( https://registrar.example/415 )', 'Example GmbH'],
    ['    No registrar listed. This domain is registered directly with the registry.', undefined],
  ])('takes the registrar name from a line without other text: "%s" gives %s', (line, name) => {
    const answer = recordOf([
      ...without('Registrar', 'Registrar IANA ID'),
      '',
      'Registrar:',
      line,
      '',
      'Nothing: more',
    ]);
    expect(answer?.registrar?.name).toBe(name);
  });

  it('never contains contact details', () => {
    expect(JSON.stringify(recordOf(ICANN))).not.toMatch(/Maria|abuse@|whois\.registrar/);
  });

  it('is the same whatever the order of the lines', () => {
    const order = fc.shuffledSubarray(ICANN.slice(1), { minLength: ICANN.length - 1 });
    fc.assert(
      fc.property(order, (lines) => expect(recordOf(['Domain Name: EXAMPLE.TLD', ...lines])).toEqual(recordOf(ICANN))),
      { numRuns: 30 },
    );
  });
});

it('a WHOIS not-found answer gives no registration record', () => {
  expect(reading('example.tld', 'No match for "EXAMPLE.TLD".')).not.toHaveProperty('record');
});
