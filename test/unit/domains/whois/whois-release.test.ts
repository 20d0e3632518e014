import { describe, expect, it } from '@jest/globals';
import { deriveLifecycle } from '../../../../src/domains/domain/lifecycle/lifecycle.js';
import { inReleasePeriod } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { judged, reading } from './whois-answers.js';

const now = new Date('2026-11-21T12:00:00Z');

/** The facts of a record with these lines. */
function factsOf(name: string, lines: readonly string[]) {
  const read = reading(name, lines);
  if (read.kind !== 'facts') throw new Error(`${read.code} by ${read.rule}`);
  return read.facts;
}

describe('a deleted name not yet open to everyone', () => {
  it.each([
    ['at auction (.ee)', 'example.ee', ['Domain:', 'name: example.ee', 'status: AtAuction'], 'auction'],
    [
      'not yet registered by the auction winner (.ee)',
      'example.ee',
      [
        'Domain:',
        'name: example.ee',
        'status: PendingRegistration',
        'registration deadline: 2026-12-06T23:59:59+02:00',
      ],
      'auction',
    ],
    [
      'not yet paid by the auction winner (.ee)',
      'example.ee',
      ['name: example.ee', 'status: PendingPayment'],
      'auction',
    ],
    ['in a list of auctions (.cz)', 'example.cz', ['% Auction pending'], 'auction'],
    ['in an auction, according to a sentence', 'example.tld', ['The domain example.tld is in auction.'], 'auction'],
    [
      'in the release process (.br)',
      'example.com.br',
      ['domain:  example.com.br', 'release process: waiting'],
      'release_process',
    ],
  ] as const)('is in a release period if it is %s', (_how, name, lines, release) => {
    expect(factsOf(name, [...lines])).toEqual(inReleasePeriod(release));
  });

  it('is reserved while its status is Disputed (.ee)', () => {
    expect(judged('example.ee', ['name: example.ee', 'status: Disputed'])).toBe('reserved by whois.reserved.status');
  });

  it('is registered if its status is ok, even with "Auction Pending" as registrar', () => {
    const lines = [
      'name: example.ee',
      'status: ok',
      'registrar:',
      'name: Auction Pending OÜ',
      'registered: 2026-11-01',
    ];
    expect(judged('example.ee', lines)).toBe('found by whois.found');
  });
});

describe('a name about to be deleted', () => {
  it.each([
    ['.ee', 'example.ee', ['status: deleteCandidate']],
    ['.ee, on hold as well', 'example.ee', ['status: deleteCandidate', 'status: serverHold']],
    ['.cz', 'example.cz', ['status: To be deleted']],
  ])('is in the phase pending delete, whatever its expiry date: %s', (_where, name, statuses) => {
    const facts = factsOf(name, ['Domain:', `name: ${name}`, ...statuses, 'expire: 2026-11-15', 'Registrar: Example']);
    expect(deriveLifecycle(facts, 30, now)).toEqual({ status: 'pending_delete', phase: 'pending_delete' });
  });
});

describe('the WHOIS status "failed" of a name', () => {
  it('means registered under .de, and makes the answer unusable under another TLD', () => {
    expect(judged('example.de', ['Domain: example.de', 'Status: failed'])).toBe('found by whois.found');
    expect(judged('example.tld', ['Domain: example.tld', 'Status: failed'])).toMatch(/^registry_answer_unusable/);
  });
});

describe('the release date in a WHOIS record', () => {
  it.each([
    ['example.ru', ['paid-till: 2026-10-29T21:00:00Z', 'free-date: 2026-11-30'], '2026-11-29T21:00:00Z'],
    ['example.ee', ['expire: 2026-10-15', 'outzone: 2026-10-31', 'delete: 2026-11-30'], '2026-11-29T21:00:00Z'],
    ['example.fi', ['expires....: 4.7.2027 13:36:48', 'available..: 4.8.2027 13:36:48'], '2027-08-04T10:36:48Z'],
    ['example.se', ['expires: 2026-09-21', 'date_to_release: 2026-12-07'], '2026-12-07T04:00:00Z'],
  ])('is read for %s from %j', (name, lines, releasesAt) => {
    const facts = factsOf(name, [`domain: ${name}`, 'registrar: Example', ...lines]);
    expect(facts).toMatchObject({ outcome: 'found', releasesAt: new Date(releasesAt) });
  });

  it.each([
    ['example.ee', ['expire: 2026-10-15', 'delete:']],
    ['example.tld', ['expire: 2026-10-15', 'delete: 2026-11-30']],
  ])('is missing for %s with the fields %j', (name, lines) => {
    expect(factsOf(name, [`domain: ${name}`, 'registrar: Example', ...lines])).not.toHaveProperty('releasesAt');
  });
});
