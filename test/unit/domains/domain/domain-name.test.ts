import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DomainName,
  type SuffixPosition,
  PublicSuffixes,
  InvalidDomainNameError,
} from '../../../../src/domains/domain/name/domain-name.js';
import { anyText } from '../../../support/builders/any-text.js';
import { cpuMillisecondsSince } from '../../../support/cpu-time.js';

/** Every TLD is one suffix, so that only the form of the name counts. */
class OneLabelSuffixes extends PublicSuffixes {
  classify(ascii: string): SuffixPosition {
    const labels = ascii.split('.');
    if (labels.length === 2) return { kind: 'registrable' };
    return { kind: 'below', registrable: labels.slice(-2).join('.') };
  }
}

const parse = (input: string) => DomainName.parse(input, new OneLabelSuffixes());

function refusalOf(input: string): string {
  return catchRefusal(input)?.code ?? `accepted as ${parse(input).ascii}`;
}

function catchRefusal(input: string): InvalidDomainNameError | null {
  try {
    parse(input);
    return null;
  } catch (error) {
    if (error instanceof InvalidDomainNameError) return error;
    throw error;
  }
}

describe('a domain name', () => {
  it.each([
    ['example.com', 'example.com'],
    ['  EXAMPLE.Com  ', 'example.com'],
    ['example.com.', 'example.com'],
    ['ab--cd.com', 'ab--cd.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['例え。jp', 'xn--r8jz45g.jp'],
    ['example。com。', 'example.com'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['אבג.com', 'xn--4dbcd.com'],
    ['i❤.ws', 'xn--i-7iq.ws'],
    ['123.com', '123.com'],
    ['1.x0', '1.x0'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('is read from %j as %s', (input, ascii) => {
    expect(parse(input).ascii).toBe(ascii);
  });

  it.each([
    '',
    ' ',
    '.',
    '..',
    '.com',
    'example..com',
    'example.com..',
    '-example.com',
    'example-.com',
    'a_b.com',
    'exa mple.com',
    'example.com/',
    'https://example.com',
    'example.com:80',
    'user@example.com',
    '*.example.com',
    'xn--a.com',
    'xn--\u00fc.com',
    'a\u200db.com',
    '1אב.com',
    'אבa.com',
    '\ud800.com',
    'a\0b.com',
    'a\r\nb.com',
    'example.com%0d%0a',
    '../example.com',
    '1.2.3.400',
    '1.2.3.4.5',
    '256.256.256.256',
    '1.2.3.4/24',
    '[::1]:80',
  ])('is refused as malformed: %j', (input) => {
    expect(refusalOf(input)).toBe('domain_malformed');
  });

  it.each([
    '127.0.0.1',
    '8.8.8.8',
    '::1',
    '[::1]',
    '2001:db8::1',
    '::ffff:1.2.3.4',
    'fe80::1%eth0',
    '1.2.3.4.',

    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '1。2。3。4',
    '0',
    '0x',
  ])('is refused as an IP address: %j', (input) => {
    expect(refusalOf(input)).toBe('domain_is_ip');
  });

  it.each([
    ['localhost', 'domain_single_label'],
    ['com.', 'domain_single_label'],
    [`${'a'.repeat(64)}.com`, 'label_too_long'],
    [`${'ü'.repeat(60)}.com`, 'label_too_long'],
    [`${'a'.repeat(60)}.`.repeat(5) + 'com', 'domain_too_long'],
    ['a.'.repeat(2_000) + 'com', 'domain_too_long'],
    ['www.example.com', 'not_registrable'],
  ])('is refused if it has one label, is too long or is a subdomain (case %#)', (input, code) => {
    expect(refusalOf(input)).toBe(code);
  });

  it('is refused with the registrable domain in the error if it is a subdomain', () => {
    expect(() => parse('www.example.com')).toThrow(
      expect.objectContaining({ details: { field: 'domain', registrable_domain: 'example.com' } }),
    );
  });

  it.each([
    ['https://example.com', 'example.com'],
    [' HTTPS://user:secret@WWW.Example.com:8443/a/b.html?c=d#e ', 'example.com'],
    ['//www.example.com/a', 'example.com'],
    ['example.com/', 'example.com'],
    ['example.com:80', 'example.com'],
    ['info@mail.example.com', 'example.com'],
    ['mailto:info@example.com', 'example.com'],
    ['*.shop.example.com', 'example.com'],
    ['https://www.münchen.de/rathaus', 'xn--mnchen-3ya.de'],
    ['https://127.0.0.1/', undefined],
    ['http://[::1]:3000/', undefined],
    ['https://localhost/', undefined],
    ['https://', undefined],
    ['a/b', undefined],
    ['javascript:alert(1)', undefined],
    [`https://example.com/${'a'.repeat(1_100)}`, undefined],
  ])('is suggested only if the refused URL or mail address contains one (case %#)', (input, registrable) => {
    const refusal = catchRefusal(input);
    expect(refusal?.details['registrable_domain']).toBe(registrable);
  });

  it.each(['a'.repeat(100_000), '.'.repeat(100_000), '-'.repeat(100_000), 'ü'.repeat(100_000), 'a.'.repeat(50_000)])(
    'is refused within 250 ms if it has 100 000 characters (case %#)',
    (input) => {
      const began = process.threadCpuUsage();
      expect(refusalOf(input)).toBe('domain_too_long');
      expect(cpuMillisecondsSince(began)).toBeLessThan(250);
    },
  );

  it('is shown in Unicode even if it was typed in its ASCII form', () => {
    expect(parse('xn--mnchen-3ya.de').unicode).toBe('münchen.de');
    expect(parse('example.com').unicode).toBe('example.com');
  });

  it('matches its spellings in ASCII, Unicode and capitals, and no other name', () => {
    const name = parse('münchen.de');
    const spelt = [
      'XN--MNCHEN-3YA.DE.',
      'münchen.de',
      'MÜNCHEN.DE',
      'xn--mnchen-3ya.de',
      'munchen.de',
      '',
      'a'.repeat(2_000),
    ];
    expect(spelt.map((spelling) => name.matchesSpelling(spelling))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(name.equals(DomainName.restore('xn--mnchen-3ya.de'))).toBe(true);
    expect(name.tld).toBe('de');
  });

  it('consists of lower-case ASCII letters, digits and hyphens, whatever was typed', () => {
    const typed = fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' }), anyText());
    fc.assert(
      fc.property(typed, (input) => {
        const outcome = refusalOf(input);
        return (
          !outcome.startsWith('accepted') || /^accepted as [a-z0-9]([a-z0-9-]*[a-z0-9])?\.[a-z0-9-]+$/.test(outcome)
        );
      }),
      { numRuns: 500 },
    );
  });
});
