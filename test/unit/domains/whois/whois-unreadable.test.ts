import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judged, reading } from './whois-answers.js';

const UNREADABLE = 'registry_answer_unusable by whois.control_characters';
const ABSENT = 'No match for "EXAMPLE.TLD".';
const RECORD = ['Domain Name: example.tld', 'Registrar: Example', 'Registry Expiry Date: 2027-06-01T00:00:00Z'];

describe('a WHOIS answer with control characters', () => {
  it.each([
    ['NUL bytes around a sentence', '\0\0\0\0No match\0\0'],
    ['a NUL between all letters', [...ABSENT].join('\0')],
    ['UTF-16', Buffer.from(ABSENT, 'utf16le')],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${ABSENT}`, 'utf16le')],
    ['a backspace', 'Nox\b match'],
    ['an escape sequence', '\u001b[1mNo match\u001b[0m'],
    ['a vertical tab', 'No\vmatch'],
    ['a form feed', 'No match\f'],
    ['a DEL', 'No match\u007f'],
    ['a control character after a record', [...RECORD, '\u0001']],
  ])('is unusable: %s', (_what, answer) => expect(judged('example.tld', answer)).toBe(UNREADABLE));

  it('is unusable wherever the control character is', () => {
    const control = fc.constantFrom(...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)), '\u007f');
    fc.assert(
      fc.property(control, fc.nat(ABSENT.length), (character, at) => {
        if ('\t\r\n'.includes(character)) return;
        expect(judged('example.tld', ABSENT.slice(0, at) + character + ABSENT.slice(at))).toBe(UNREADABLE);
      }),
    );
  });

  it.each([
    ['tabs', `\t${ABSENT}\t`],
    ['line ends of all kinds', `\r\n\n\r${ABSENT}\r\n`],
    ['a byte order mark in front', `\ufeff${ABSENT}`],
  ])('is still read if it has only %s', (_what, answer) => {
    expect(judged('example.tld', answer)).toBe('absent by whois.absent.no_match');
  });
});

describe('invisible characters in a WHOIS answer', () => {
  it.each([
    ['a soft hyphen', 'No mat\u00adch'],
    ['a zero width space', 'No\u200bmatch'],
    ['a bidi mark', 'No \u200fmatch'],
    ['a bidi override', '\u202ehctam oN\u202c No match\u2066'],
    ['a byte order mark inside', 'No\ufeff match'],
    ['a C1 control character', 'No mat\u0085ch'],
    ['a byte that is not in the character set', Buffer.from('No mat\x81ch', 'latin1')],
  ])('make the answer "No match" unusable: %s', (_what, answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });

  it('do not make a registration record unusable', () => {
    const read = reading('example.tld', [...RECORD, 'Registrant Name: \u200fمثال\u200f']);
    expect(read).toMatchObject({ kind: 'facts', facts: { outcome: 'found' } });
  });
});

describe('a truncated WHOIS answer', () => {
  it.each([
    ['a name after white space', `No match for ${' '.repeat(120_000)}x`],
    ['a name after stars', `No match for ${'*'.repeat(120_000)}x`],
    ['a name after dots', `No match for ${'.'.repeat(120_000)}x`],
    ['a name after tabs', `No match for ${'\t'.repeat(120_000)}x`],
    ['a contradiction in a late line', `${ABSENT}${'\r\n'.repeat(3_000)}${RECORD.join('\r\n')}`],
    ['a contradiction after white space', `${ABSENT}\r\n\r\nRegistrar:${' '.repeat(10_000)}Example`],
    ['a contradiction after dots', `${ABSENT}\r\n\r\nRegistrar${'.'.repeat(10_000)}: Example`],
    ['no name at all', 'No match for '],
    ['no name after a quote', 'No match for "'],
    ['no name of a database', 'No entries found in the'],
  ])('is unusable, and does not mean available: %s', (_what, answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });

  it('means available only under .md, if it is just "No match for"', () => {
    expect(judged('example.md', 'No match for')).toBe('absent by whois.absent.registry');
    expect(judged('example.md', `No match for ${' '.repeat(120_000)}x`)).toMatch(/^registry_answer_unusable/);
  });

  it('is unusable if padding of any length comes before another name', () => {
    const padding = fc.constantFrom(' ', '\t', '.', '*', '<', '-', '"', '\u00a0');
    fc.assert(
      fc.property(padding, fc.integer({ min: 1, max: 3_000 }), (character, length) => {
        const read = reading('example.tld', `No match for ${character.repeat(length)}other`);
        expect(read.kind).toBe('failure');
      }),
    );
  });
});

describe('a WHOIS answer about another name', () => {
  it.each([
    'No match for other.tld',
    'No match for "OTHER.TLD".',
    'other.tld not found',
    'Domain other.tld is free',
    'other.tld: no existe',
    'Le domaine other.tld est introuvable',
    'Domena other.tld nenalezena',
    'El dominio other.tld está disponible',
    'Домен other.tld свободен',
    'Domain other.tld nicht gefunden',
    'No match for xexample.tld',
    'No match for example.tldx',
    'No match for www.example.tld',
    'No match for other',
    'Not found: other.tld',
    'The domain other.tld has not been registered.',
    'Domain: other.tld\r\nStatus: free',
  ])('does not mean that the queried name is available: %s', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });
});
