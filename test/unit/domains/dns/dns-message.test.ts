import { AUTHORITATIVE_ANSWER, decode } from 'dns-packet';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DnsMessage, buildQuery, parseMessage } from '../../../../src/domains/dns/dns-message.js';
import { messageTo } from '../../../world/dns.js';

const question = buildQuery('lapsed.example', 'NS');
const query = decode(question.bytes);
const read = (bytes: Uint8Array, isParent = false) => parseMessage(Buffer.from(bytes), question, isParent);
const delegation = (name: string) => [{ type: 'NS', class: 'IN', ttl: 60, name, data: 'NS1.Hoster.example' } as const];
const denial = messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER });
const rules = (message: DnsMessage) =>
  message.kind === 'answer' ? [message.delegation, message.rule] : [message.kind];

describe('a DNS query for a delegation', () => {
  it('does not request recursion', () => {
    expect(query).toMatchObject({ flag_rd: false, questions: [{ type: 'NS', name: 'lapsed.example' }] });
  });

  it('has a random id', () => {
    expect(new Set(Array.from({ length: 100 }, () => buildQuery('a.example', 'NS').id)).size).toBeGreaterThan(80);
  });
});

describe('a DNS answer about a name', () => {
  it('is matched to the name in any letter case', () => {
    const message = read(messageTo(query, { question: 'LAPSED.Example', authorities: delegation('Lapsed.EXAMPLE') }));
    expect(message).toMatchObject({ delegation: 'delegated', nameServers: ['ns1.hoster.example'] });
  });

  it.each([
    ['below it', 'www.lapsed.example'],
    ['above it', 'example'],
    ['that merely ends with the same letters', 'prelapsed.example'],
  ])('is inconclusive for the name if it delegates another name %s', (_where, other) => {
    expect(rules(read(messageTo(query, { authorities: delegation(other) }), true))).toEqual([
      'inconclusive',
      'dns.other_referral',
    ]);
  });

  it('is inconclusive if it both denies and delegates the name', () => {
    const both = messageTo(query, { code: 3, flags: AUTHORITATIVE_ANSWER, authorities: delegation('lapsed.example') });
    expect(rules(read(both))).toEqual(['inconclusive', 'dns.contradiction']);
  });

  it('denies the name only if it is marked authoritative or comes from the parent zone', () => {
    const unmarked = messageTo(query, { code: 3 });
    expect(rules(read(unmarked))).toEqual(['inconclusive', 'dns.not_authoritative']);
    expect(rules(read(unmarked, true))).toEqual(['not_delegated', 'dns.nxdomain']);
    expect(rules(read(denial))).toEqual(['not_delegated', 'dns.nxdomain']);
  });

  it('shows that the name exists without a delegation if it has other records', () => {
    const alias = { type: 'CNAME', class: 'IN', ttl: 60, name: 'lapsed.example', data: 'parking.example' } as const;
    const message = messageTo(query, { flags: AUTHORITATIVE_ANSWER, answers: [alias] });
    expect(rules(read(message))).toEqual(['undelegated', 'dns.other_records']);
  });

  it('is ignored when it is itself a query', () => expect(read(question.bytes)).toEqual({ kind: 'foreign' }));

  it.each([
    ['larger than a DNS message can be', Buffer.concat([denial, Buffer.alloc(9_000)])],
    ['cut short', denial.subarray(0, 20)],
    ['sent with another id', messageTo({ ...query, id: (question.id + 1) % 65_536 }, { code: 3 })],
    [
      'for another record class',
      messageTo({ ...query, questions: [{ type: 'NS', class: 'CH', name: 'lapsed.example' }] }, {}),
    ],
    [
      'for another record type',
      messageTo({ ...query, questions: [{ type: 'A', class: 'IN', name: 'lapsed.example' }] }, {}),
    ],
    [
      'for two questions',
      messageTo({ ...query, questions: [...(query.questions ?? []), ...(query.questions ?? [])] }, {}),
    ],
    ['a not-found answer without a question', messageTo({ ...query, questions: [] }, { code: 3 })],
  ])('is ignored when it is %s', (_what, bytes) => expect(read(bytes)).toEqual({ kind: 'foreign' }));
});

describe('bytes received as a DNS answer', () => {
  const known = ['delegated', 'undelegated', 'not_delegated', 'inconclusive', 'foreign', 'truncated'];
  const isKnown = (message: DnsMessage) => known.includes(rules(message)[0] ?? '');

  it('are classified without an exception', () => {
    const header = Buffer.alloc(2);
    header.writeUInt16BE(question.id);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, isParent) => {
        return isKnown(read(bytes, isParent)) && isKnown(read(Buffer.concat([header, bytes]), isParent));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are never read as a denial if they are a corrupted delegation not marked authoritative', () => {
    const answer = messageTo(query, { authorities: delegation('lapsed.example') });
    const changes = fc.array(fc.tuple(fc.nat(answer.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(changes, fc.nat(answer.length), (flips, end) => {
        const damaged = Buffer.from(answer.subarray(0, end));
        for (const [at, value] of flips) if (at < end) damaged[at] = value;
        const message = read(damaged);
        const isMarked = ((damaged[2] ?? 0) & 0x04) !== 0;
        return isKnown(message) && (isMarked || rules(message)[0] !== 'not_delegated');
      }),
      { numRuns: 1_000 },
    );
  });

  it('give an excerpt of at most 500 characters without control characters', () => {
    const noisy = Array.from({ length: 40 }, (_, i) => delegation(`\u0007\u202e${'x'.repeat(40)}${i}.example`)).flat();
    const message = read(messageTo(query, { authorities: noisy }), true);
    expect(message).toMatchObject({ excerpt: expect.stringMatching(/^[\x20-\x7e]{1,500}$/) });
  });
});
