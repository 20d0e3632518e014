import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isTransferLocked,
  normalizeHostName,
  parseDsRecord,
  type RecordParts,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../../../../src/domains/domain/record/registration-record.js';
import {
  areRecordValuesEqual,
  getRecordValue,
  RECORD_KINDS,
} from '../../../../src/domains/domain/record/record-values.js';

const DIGEST = '49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4ACABCD';
const ds = (keyTag: number) => ({ keyTag, algorithm: 13, digestType: 2, digest: DIGEST });
const PARTS = {
  nameservers: ['ns1.example.net', 'ns2.example.net', 'ns3.example.org'],
  registrar: { name: 'Example Registrar, Inc.', ianaId: '292' },
  statuses: ['client transfer prohibited', 'client delete prohibited', 'active'],
  ds: [ds(1), ds(22), ds(333)],
  lastTransferAt: new Date('2025-03-01T10:00:00Z'),
} satisfies RecordParts;
const record = (changes: RecordParts = {}) => toRegistrationRecord({ ...PARTS, ...changes });

const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
const spelled = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''));
const respelled = (list: readonly string[]) =>
  shuffled(list).chain((texts) => fc.tuple(...texts.map(spelled), ...texts.slice(0, 1).map(spelled)));

/** The kinds that both know and that differ. */
function findRecordChanges(earlier: RegistrationRecord, later: RegistrationRecord) {
  return RECORD_KINDS.flatMap((kind) => {
    const [before, after] = [getRecordValue(earlier, kind), getRecordValue(later, kind)];
    if (before === null || after === null) return [];
    return areRecordValuesEqual(kind, before, after) ? [] : [{ kind, before, after }];
  });
}

describe('a registration record', () => {
  it('equals another that differs only in order, letter case or repeated values', () => {
    const parts = fc.record({
      nameservers: respelled(PARTS.nameservers.map((host) => `${host}.`)),
      registrar: fc.record({
        name: spelled('example registrar inc').map((name) => ` ${name}. `),
        ianaId: fc.constant('0292'),
      }),
      statuses: respelled(['clientTransferProhibited', 'client_delete_prohibited', 'ok']),
      ds: shuffled(PARTS.ds).chain(([first, ...others]) =>
        spelled(DIGEST).map((digest) => (first ? [first, ...others, { ...first, digest }] : [])),
      ),
    });
    fc.assert(fc.property(parts, (changes) => expect(findRecordChanges(record(), record(changes))).toEqual([])));
  });

  it('shows no change if one of two answers leaves fields out', () => {
    const member = fc.constantFrom(...(Object.keys(PARTS) as (keyof typeof PARTS)[]));
    fc.assert(
      fc.property(fc.uniqueArray(member), (missing) => {
        const partial = record(Object.fromEntries(missing.map((key) => [key, null])));
        expect(findRecordChanges(record(), partial)).toEqual([]);
        expect(findRecordChanges(partial, record())).toEqual([]);
      }),
    );
  });

  it('lists each change with its kind, old value and new value', () => {
    const moved = record({ nameservers: ['ns1.parking.example'], ds: [], registrar: { name: 'Other', ianaId: '7' } });
    expect(findRecordChanges(record(), moved)).toEqual([
      { kind: 'nameservers', before: PARTS.nameservers, after: ['ns1.parking.example'] },
      {
        kind: 'registrar',
        before: { name: 'Example Registrar, Inc.', iana_id: '292' },
        after: { name: 'Other', iana_id: '7' },
      },
      { kind: 'ds', before: getRecordValue(record(), 'ds'), after: [] },
    ]);
  });

  it('has null for a list with an unreadable value or too many values', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `ns${at}.example.net`);
    expect(record({ nameservers: ['ns1.example.net', 'not a host'] }).nameservers).toBeNull();
    expect(record({ nameservers: many }).nameservers).toBeNull();
    expect(record({ ds: [ds(1), { ...ds(2), digest: 'AB' }] }).ds).toBeNull();
    expect(record({ statuses: [] }).statuses).toBeNull();
    expect(record({ registrar: { name: 'x'.repeat(10_000), ianaId: 'none' } }).registrar).toBeNull();
    expect(record({ registrar: { name: 'Ex\u0000ample' } }).registrar).toBeNull();
  });

  it('shows no new registrar if the IANA id is the same and the name differs', () => {
    const renamed = record({ registrar: { name: 'Example (formerly Acme)', ianaId: '292' } });
    expect(findRecordChanges(record(), renamed)).toEqual([]);
    const withoutId = record({ registrar: { name: 'EXAMPLE REGISTRAR INC' } });
    expect(findRecordChanges(record(), withoutId)).toEqual([]);
    expect(findRecordChanges(record(), record({ registrar: { name: 'Another' } }))).toHaveLength(1);
    const idOnly = record({ registrar: { ianaId: '7' } });
    expect(findRecordChanges(record({ registrar: { name: 'Another' } }), idOnly)).toEqual([]);
  });

  it('shows no new transfer if one date has a time and the other has none', () => {
    expect(findRecordChanges(record(), record({ lastTransferAt: new Date('2025-03-01') }))).toEqual([]);
    expect(findRecordChanges(record(), record({ lastTransferAt: new Date('2026-03-01') }))).toHaveLength(1);
  });

  it('is transfer-locked if the registrar or the registry prohibits transfers', () => {
    expect(isTransferLocked(['client transfer prohibited'])).toBe(true);
    expect(isTransferLocked(['active', 'server transfer prohibited'])).toBe(true);
    expect(isTransferLocked(['active'])).toBe(false);
    expect(isTransferLocked(['connect'])).toBeNull();
    expect(isTransferLocked(null)).toBeNull();
  });
});

describe('a host name', () => {
  it.each([
    ['NS1.Example.NET.', 'ns1.example.net'],
    ['ns1.bücher.example', 'ns1.xn--bcher-kva.example'],
    ['_dns.example.net', '_dns.example.net'],
  ])('is normalized from %s to %s', (text, host) => expect(normalizeHostName(text)).toBe(host));

  it.each([
    '192.0.2.1',
    '2001:db8::1',
    'ns1',
    '',
    '.',
    'ns1..net',
    '-a.example',
    'a b.example',
    `${'a'.repeat(64)}.net`,
  ])('is refused as invalid: %j', (text) => expect(normalizeHostName(text)).toBeNull());

  it('is refused if it is too long for DNS or has a control character', () => {
    expect(normalizeHostName(`${'a.'.repeat(5_000)}net`)).toBeNull();
    expect(normalizeHostName('ns1.\u0007example.net')).toBeNull();
  });
});

describe('a DS record', () => {
  it('is read in the notation of zone files, with spaces in the digest', () => {
    expect(parseDsRecord(`12345 13 2 ${DIGEST.slice(0, 30).toLowerCase()} ${DIGEST.slice(30)}`)).toEqual(ds(12_345));
  });

  it.each(['12345 13 2', `70000 13 2 ${DIGEST}`, `1 13 2 ${DIGEST.slice(2)}`, `1 13 2 ${'zz'.repeat(32)}`, 'unsigned'])(
    'is refused as invalid: %s',
    (text) => expect(parseDsRecord(text)).toBeNull(),
  );
});
