import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { skipValue } from '../../../../src/domains/rdap/json-skipper.js';
import { parseJson } from '../../../../src/domains/rdap/rdap-json.js';
import { parseRecord, readMembers } from '../../../../src/domains/rdap/rdap-members.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';

const READ = [
  ...['errorCode', 'objectClassName', 'ldhName', 'unicodeName', 'status', 'events', 'redacted', 'remarks'],
  ...['title', 'description', 'notices'],
];
const NOTED = ['entities', 'nameservers', 'secureDNS'];

/** What the rules distinguish of a value that is only noted. */
const noted = (value: unknown) => [value === undefined || value === null, Array.isArray(value) && value.length === 0];

function expectSameMembers(text: string, members: Record<string, unknown>): void {
  const whole = JSON.parse(text) as Record<string, unknown>;
  for (const key of READ) expect(members[key]).toEqual(whole[key]);
  for (const key of NOTED) expect(noted(members[key])).toEqual(noted(whole[key]));
}

describe('The members of a record', () => {
  it('are those of the whole record', () => {
    const text = JSON.stringify(rdapRecord('example.com'));
    const members = readMembers(text);
    expect(members).not.toBeNull();
    if (members) expectSameMembers(text, members);
  });

  const key = fc.constantFrom(...READ, ...NOTED, 'links', '__proto__', 'toString');
  const json = fc.jsonValue({ maxDepth: 3 });
  it('are those of JSON.parse, whatever a record contains, or it is parsed as a whole', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, json), { minLength: 1 }), (pairs) => {
        const text = `{${pairs.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join()}}`;
        const members = readMembers(text);
        if (members) expectSameMembers(text, members);
        else expect(text).toMatch(/[^ !"#-[\]-~]/);
      }),
    );
  });

  it('are those of JSON.parse where records before had the same texts, or longer and shorter ones', () => {
    const value = fc.constantFrom(
      ...[
        '[]',
        '{}',
        '[{}]',
        '[1]',
        '[12]',
        '["active"]',
        '["active","inactive"]',
        '[[1]]',
        '{"a":[]}',
        '"a"',
        '1',
        '12',
      ],
      ...[
        '[{"ldhName":"ns1.example"}]',
        '[{"ldhName":"ns1.example"},{"ldhName":"ns2.example"}]',
        '[{"roles":["registrar"]}]',
      ],
    );
    const record = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(record, { minLength: 3 }), fc.constantFrom('', ',', ']', '"', 'x'), (records, junk) => {
        for (const pairs of records) {
          const text = `{${pairs.map(([name, json]) => `"${name}":${json}`).join()}}`;
          for (let nth = 0; nth < 3; nth += 1) expectSameMembers(text, readMembers(text) ?? { text: 'was refused' });
          const broken = `${text.slice(0, -1)}${junk}}`;
          if (junk !== '') expect(readMembers(broken)).toBeNull();
        }
      }),
    );
  });

  it('are the same objects in records that share their text, which are parsed once', () => {
    const [one, other] = ['example.com', 'example.net'].map((name) => readMembers(JSON.stringify(rdapRecord(name))));
    expect(other?.['entities']).toBe(one?.['entities']);
    expect(other?.['status']).toBe(one?.['status']);
    expect(other?.['ldhName']).toBe('EXAMPLE.NET');
  });

  it('are never read from text that JSON.parse refuses', () => {
    const text = JSON.stringify(rdapRecord('example.com'));
    const mutation = fc.tuple(fc.nat(text.length), fc.nat(3), fc.stringMatching(/^[-{}[\]",:0-9.eEtruefalsn ]{0,3}$/));
    fc.assert(
      fc.property(mutation, ([at, removed, added]) => {
        const mutant = text.slice(0, at) + added + text.slice(at + removed);
        const members = readMembers(mutant);
        if (members) expectSameMembers(mutant, members);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['line breaks', JSON.stringify(rdapRecord('example.com'), null, 2)],
    ['escapes', '{"objectClassName":"do\\u006dain"}'],
    ['umlauts', '{"unicodeName":"ä.example"}'],
    ['a list', '["objectClassName"]'],
    ['nothing', ''],
  ])('are left to the whole parse where a body has %s', (_, text) => {
    expect(readMembers(text)).toBeNull();
    expect(parseRecord(Buffer.from(text))).toEqual(parseJson(Buffer.from(text)));
  });

  it('nest as deeply as a whole parse allows', () => {
    const nested = (depth: number) => Buffer.from(`{"status":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
    expect(parseRecord(nested(50)).flaw).toBeNull();
    expect(parseRecord(nested(51)).flaw).toBe('too_deep');
  });

  it('end where the grammar says so', () => {
    for (const value of ['{"a":[1,-2.5e+3,{"b":null}],"c":""}', '[]', '{}', 'true', '"x"', '0'])
      expect(skipValue(`${value},`, 0, 50)).toBe(value.length);
    for (const value of ['[1,]', '{"a"}', '{a:1}', '01', '1.', '[1 ,2]', '"x', '[}', 'nul', '{"a":1,}', '+1', '[[]'])
      expect(skipValue(value, 0, 50)).not.toBe(value.length);
  });
});
