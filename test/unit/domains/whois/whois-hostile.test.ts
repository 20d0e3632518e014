import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reading, TERMS } from './whois-answers.js';
import { anyText } from '../../../support/builders/any-text.js';
import { cpuMillisecondsSince } from '../../../support/cpu-time.js';

const NAME = 'example.tld';
const LINES = [
  'Domain: example.tld',
  'Domain Name: other.tld',
  'Status: free',
  'Status: active',
  'Registrar: Example',
  'No match',

  'No match for "EXAMPLE.TLD".',
  'NOT FOUND',
  'quota exceeded',
  'Access denied',
  'Reserved',
  '% comment',
  '>>> x <<<',

  'Expiry Date: 2027-06-01',
  'Created: 1.6.2019',
  '[Status]  Active',
  'Domain name:',
  '',
  '   ',
  'is',
  'not',
  'available',
];

/** Parses in time and without throwing, to one of the outcomes; an absence has a rule. */
function holds(body: Buffer): void {
  const began = process.threadCpuUsage();
  const read = reading(NAME, body);
  expect(cpuMillisecondsSince(began)).toBeLessThan(2_000);
  expect(read.rule).toMatch(/^whois\.[a-z_.]+$/);
  expect(read.excerpt.length).toBeLessThanOrEqual(500);
  expect(read.excerpt).not.toMatch(/\p{Cc}/u);
  if (read.kind === 'failure') expect(read.code).toMatch(/^registry_(answer_unusable|throttled)$/);
  else if (read.facts.outcome === 'absent') expect(read.rule).toMatch(/^whois\.absent\.\w+$/);
}

describe('any WHOIS answer', () => {
  it('is classified in time and without an exception: random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_000 }), (bytes) => holds(Buffer.from(bytes))),
      { numRuns: 300 },
    );
  });

  it('is classified in time and without an exception: random text', () => {
    const text = anyText({ maxLength: 2_000 });
    fc.assert(
      fc.property(text, (answer) => holds(Buffer.from(answer))),
      { numRuns: 300 },
    );
  });

  it('is classified in time and without an exception: registry lines in random order', () => {
    const lines = fc.array(fc.constantFrom(...LINES), { maxLength: 12 });
    fc.assert(
      fc.property(lines, (answer) => holds(Buffer.from(answer.join('\n')))),
      { numRuns: 1_000 },
    );
  });

  it('never means available if it mentions a registration or an exceeded limit', () => {
    const spoilt = [
      'Registrar: Example',
      'Expiry Date: 2027-06-01',
      'Status: active',
      'quota exceeded',
      'Name Server: ns.example.org',
    ];
    const lines = fc.array(fc.constantFrom(...LINES, ...spoilt), { maxLength: 10 });
    fc.assert(
      fc.property(lines, fc.constantFrom(...spoilt), fc.nat(), (answer, spoil, at) => {
        const whole = [...answer.slice(0, at % 11), '', spoil, '', ...answer.slice(at % 11)];
        const read = reading(NAME, whole);
        expect(read.kind === 'facts' && read.facts.outcome === 'absent').toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never means available if lines of a registration are missing', () => {
    const whole = [
      '% This is the WHOIS server of the registry.',
      ...TERMS,
      '',
      'Domain Name: example.tld',
      'Domain Status: clientHold',
      'Registrar: Example',
      'Creation Date: 2019-06-01',
      'Registry Expiry Date: 2027-06-01',
      'Name Server: ns1.example.org',
      'Registrant State: not available',
      '',
      'Fax: not found',
      'The information in this record is available for registrars only.',
      ...TERMS,
    ];
    fc.assert(
      fc.property(fc.subarray(whole), (lines) => {
        const read = reading(NAME, lines);
        expect(read.kind === 'facts' && read.facts.outcome === 'absent').toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['one very long line', 'not found '.repeat(13_000)],
    ['a line of white space', ' '.repeat(130_000)],
    ['a line of colons', ':'.repeat(130_000)],
    ['a line of dots', `a${'.'.repeat(130_000)}`],
    ['a line of numbers', '1'.repeat(130_000)],
    ['a line of hyphens', 'no-'.repeat(43_000)],
    ['a line of names', 'example.tld '.repeat(10_000)],
    ['many short lines', 'a:\n'.repeat(43_000)],
    ['many labels without values', 'Domain Name:\n'.repeat(10_000)],
    ['many lines of "domain name the object is"', `${'domain name the object is '.repeat(5)}\n`.repeat(1_000)],
    ['NUL bytes', '\0'.repeat(130_000)],
    ['escape sequences', '\u001b[31mNot\u001b[0m \u0007registered\u202e'.repeat(2_000)],
  ])('is classified within two seconds: %s', (_what, answer) => holds(Buffer.from(answer)));
});
