import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_RECORD_ITEMS } from '../../../../src/domains/domain/record/registration-record.js';
import { read, record, reply } from './rdap-reply.js';

const DIGEST = '49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4ACABCD';
const jcard = (...properties: unknown[][]) => ['vcard', [['version', {}, 'text', '4.0'], ...properties]];
const registrar = (changes: Record<string, unknown> = {}) => ({
  objectClassName: 'entity',
  handle: '292',
  roles: ['registrar'],
  publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }],
  vcardArray: jcard(['fn', {}, 'text', 'Example Registrar, Inc.']),
  entities: [{ roles: ['abuse'], vcardArray: jcard(['email', {}, 'text', 'abuse@registrar.example']) }],
  ...changes,
});
const registrant = {
  objectClassName: 'entity',
  roles: ['registrant'],
  vcardArray: jcard(['fn', {}, 'text', 'Erika Mustermann'], ['email', {}, 'text', 'erika@example.net']),
};
const nameserver = (ldhName: string) => ({
  objectClassName: 'nameserver',
  ldhName,
  ipAddresses: { v4: ['192.0.2.1'] },
  links: [{ href: `https://rdap.example/nameserver/${ldhName}` }],
});
const dsData = [{ keyTag: 12345, algorithm: 13, digestType: 2, digest: DIGEST.toLowerCase() }];
const FULL = {
  status: ['client transfer prohibited', 'active'],
  nameservers: [nameserver('NS2.EXAMPLE.NET.'), nameserver('ns1.example.net')],
  entities: [registrant, registrar()],
  secureDNS: { zoneSigned: true, delegationSigned: true, dsData },
  events: [
    { eventAction: 'transfer', eventDate: '2019-03-01T10:00:00Z' },
    { eventAction: 'transfer', eventDate: '2024-03-01T10:00:00Z' },
    { eventAction: 'registration', eventDate: '2010-03-01T10:00:00Z' },
  ],
};

function recordOf(changes: Record<string, unknown>) {
  const answer = read(reply(200, record({ ...FULL, ...changes })));
  return answer.kind === 'facts' ? answer.record : undefined;
}

describe('the registration record in an RDAP answer', () => {
  it('has name servers, registrar, statuses, DS records and the last transfer', () => {
    expect(recordOf({})).toEqual({
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      registrar: { name: 'Example Registrar, Inc.', ianaId: '292' },
      statuses: ['active', 'client transfer prohibited'],
      ds: [{ keyTag: 12345, algorithm: 13, digestType: 2, digest: DIGEST }],
      lastTransferAt: new Date('2024-03-01T10:00:00Z'),
    });
  });

  it('has null for every field that the answer leaves out', () => {
    const nothing = { nameservers: undefined, entities: undefined, secureDNS: undefined, events: FULL.events.slice(2) };
    expect(recordOf({ ...nothing, status: undefined })).toEqual({
      nameservers: null,
      registrar: null,
      statuses: null,
      ds: null,
      lastTransferAt: null,
    });
  });

  it('has an empty list of name servers if the registry says that none exist', () => {
    expect(recordOf({ nameservers: [] })?.nameservers).toEqual([]);
    expect(recordOf({ nameservers: undefined, status: ['inactive'] })?.nameservers).toEqual([]);
  });

  it.each([
    ['not signed', { delegationSigned: false }, []],
    ['not signed, with an empty list', { delegationSigned: false, zoneSigned: null, dsData: [] }, []],
    ['signed, without the records', { delegationSigned: true }, null],
    ['not signed, but with records', { delegationSigned: false, dsData }, null],
    ['a key tag as a string', { dsData: [{ ...dsData[0], keyTag: '12345' }] }, [{ ...dsData[0], digest: DIGEST }]],
    ['a digest that is too short', { delegationSigned: true, dsData: [{ ...dsData[0], digest: 'AB' }] }, null],
    ['too many records', { delegationSigned: true, dsData: Array(1_000).fill(dsData[0]) }, null],
    ['an empty object', {}, null],
    ['a string', 'signed', null],
  ])('has DS records, an empty list or null, depending on secureDNS: %s', (_, secureDNS, expected) => {
    expect(recordOf({ secureDNS })?.ds).toEqual(expected);
  });

  it.each([
    ['an organization', { vcardArray: jcard(['fn', {}, 'text', 'Max Muster'], ['org', {}, 'text', 'Acme']) }, 'Acme'],
    ['a structured organization', { vcardArray: jcard(['org', {}, 'text', ['Acme', 'Sales']]) }, 'Acme'],
    ['a person', { vcardArray: jcard(['kind', {}, 'text', 'individual'], ['fn', {}, 'text', 'Max Muster']) }, null],
    ['a name of 10 kB', { vcardArray: jcard(['fn', {}, 'text', 'x'.repeat(10_000)]) }, null],
    ['a malformed card', { vcardArray: { fn: 'Acme' } }, null],
  ])('names the registrar only by a usable company name in its contact card: %s', (_, changes, name) => {
    expect(recordOf({ entities: [registrar(changes)] })?.registrar).toEqual({ name, ianaId: '292' });
  });

  it('never takes a registrant or other contact for the registrar', () => {
    expect(recordOf({ entities: [registrant] })?.registrar).toBeNull();
    expect(recordOf({ entities: [{ ...registrant, roles: ['registrar', 'registrant'] }] })?.registrar).toBeNull();
    expect(recordOf({ entities: [registrar(), registrar({ publicIds: [] })] })?.registrar).toBeNull();
    expect(JSON.stringify(recordOf({}))).not.toMatch(/Erika|erika|abuse@/);
  });

  it('keeps a registrar id only if it is an IANA id', () => {
    const publicIds = [{ type: 'Norid registrar ID', identifier: '976769678' }];
    expect(recordOf({ entities: [registrar({ publicIds })] })?.registrar).toEqual({
      name: 'Example Registrar, Inc.',
      ianaId: null,
    });
  });

  it.each([
    ['a name of 10 kB', [nameserver(`${'a'.repeat(10_000)}.example`)]],
    ['a control character', [nameserver('ns1.example\u0085.net'), nameserver('ns2.example.net')]],
    ['an IP address', [nameserver('192.0.2.1')]],
    ['thousands of names', Array.from({ length: 4_000 }, (_, at) => ({ ldhName: `ns${at}.example.net` }))],
    [
      'one name more than the limit',
      Array.from({ length: MAX_RECORD_ITEMS + 1 }, (_, at) => nameserver(`n${at}.example.net`)),
    ],
    ['numbers and lists in place of names', ['ns1.example.net', 5, null, [[]]]],
  ])('has null for the name servers if their list has %s', (_, nameservers) => {
    expect(recordOf({ nameservers })?.nameservers).toBeNull();
  });

  it('is the same whatever the order and letter case in the answer', () => {
    const answer = fc.record({
      nameservers: fc.shuffledSubarray(FULL.nameservers, { minLength: 2 }),
      entities: fc.shuffledSubarray(FULL.entities, { minLength: 2 }),
      events: fc.shuffledSubarray(FULL.events, { minLength: 3 }),
      status: fc.shuffledSubarray(['Client Transfer Prohibited', 'clientTransferProhibited', 'OK'], { minLength: 3 }),
    });
    fc.assert(
      fc.property(answer, (changes) => expect(recordOf(changes)).toEqual(recordOf({}))),
      { numRuns: 30 },
    );
  });

  it('never affects the status of the name, whatever it contains', () => {
    const parts = fc.dictionary(fc.constantFrom('nameservers', 'secureDNS', 'entities'), fc.jsonValue({ maxDepth: 4 }));
    const facts = (changes: object) => {
      const answer = read(reply(200, JSON.stringify(record({ ...FULL, ...changes }))));
      return { rule: answer.rule, facts: answer.kind === 'facts' && answer.facts };
    };
    fc.assert(fc.property(parts, (changes) => expect(facts(changes)).toEqual(facts({}))));
  });
});

it('an RDAP answer with status 404 or 429 gives no registration record', () => {
  expect(read(reply(404, { errorCode: 404, title: 'Not Found' }))).not.toHaveProperty('record');
  expect(read(reply(429, record(FULL)))).not.toHaveProperty('record');
});
