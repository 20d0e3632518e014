import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { IcannSuffixes } from '../../../../src/domains/domain/name/icann-suffixes.js';
import {
  LATIN_CONFUSABLES,
  listNameVariants,
  SCRIPT_CONFUSABLES,
  VARIANT_KINDS,
  type VariantKind,
} from '../../../../src/domains/domain/variants/name-variants.js';

const suffixes = new IcannSuffixes();
const parse = (input: string) => DomainName.parse(input, suffixes);
const variantsOf = (input: string, kinds: readonly VariantKind[] = VARIANT_KINDS, max = 1_000) =>
  listNameVariants(parse(input), { kinds, suffixes, tlds: ['com', 'net', 'co.uk'], max });
const unicodeOf = (input: string, kind: VariantKind) => variantsOf(input, [kind]).map(({ name }) => name.unicode);

describe('the variants of a name', () => {
  it('include typos: omitted, repeated and swapped characters, and neighbouring keys', () => {
    const typos = unicodeOf('ab-1.com', 'typo');
    expect(typos.slice(0, 10)).toEqual([
      'b-1.com',
      'a-1.com',
      'ab1.com', // without the last one it would end in a hyphen
      'aab-1.com',
      'abb-1.com',
      'ab--1.com',
      'ab-11.com',
      'ba-1.com',
      'a-b1.com', // so would a swap of the last two
      'qb-1.com',
    ]);
    expect(typos).toEqual(expect.arrayContaining(['sb-1.com', 'ab-2.com', 'aqb-1.com', 'qab-1.com', 'av-1.com']));
    expect(typos).not.toContain('pb-1.com');
  });

  it('include names that look alike: ASCII pairs, accented letters, or another script throughout', () => {
    expect(unicodeOf('model.com', 'homoglyph')).toEqual(
      expect.arrayContaining(['rnodel.com', 'm0del.com', 'mode1.com', 'moclel.com', 'modél.com']),
    );
    const other = unicodeOf('apple.com', 'homoglyph').filter((name) => /\p{Script=Cyrillic}/u.test(name));
    expect(other).toEqual(['арр\u04cfе.com', 'арр\u04cf\u04bd.com']);
    expect(unicodeOf('арр\u04cfе.com', 'homoglyph')).toContain('apple.com');
  });

  it('include the same label under other suffixes, such as .net and .co.uk', () => {
    expect(unicodeOf('example.com', 'tld')).toEqual(['example.net', 'example.co.uk']);
  });

  it('are listed in the order in which their kinds were requested', () => {
    const kinds = variantsOf('example.com', ['tld', 'typo']).map(({ kind }) => kind);
    expect(kinds).toEqual([...kinds].sort());
    expect(kinds[0]).toBe('tld');
  });

  it('are cut off at the requested maximum number', () => {
    expect(variantsOf('example.com', VARIANT_KINDS, 7)).toEqual(variantsOf('example.com').slice(0, 7));
  });

  it('are listed for Unicode names and for names under a two-label suffix', () => {
    expect(unicodeOf('bücher.co.uk', 'typo')).toEqual(
      expect.arrayContaining(['bcher.co.uk', 'büücher.co.uk', 'übcher.co.uk']),
    );
  });

  const labels = fc.oneof(
    fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/),
    fc.string({ unit: fc.constantFrom(...'aeo1-üñßдјοռ例'), minLength: 1, maxLength: 8 }),
  );
  const names = labels.map((label) => `${label}.com`).filter((input) => isName(input));

  it('are valid, listed once, the same every time, and never the name itself', () => {
    fc.assert(
      fc.property(names, fc.shuffledSubarray([...VARIANT_KINDS]), (input, kinds) => {
        const found = variantsOf(input, kinds).map(({ name }) => name.ascii);
        expect(new Set(found).size).toBe(found.length);
        expect(found).not.toContain(parse(input).ascii);
        for (const ascii of found) expect(parse(ascii).ascii).toBe(ascii);
        expect(variantsOf(input, kinds).map(({ name }) => name.ascii)).toEqual(found);
      }),
      { numRuns: 60 },
    );
  });

  it('never mix two scripts, such as Latin and Cyrillic, in one name', () => {
    const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian'].map((one) => new RegExp(`\\p{Script=${one}}`, 'u'));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,8}$/), (label) => {
        for (const name of unicodeOf(`${label}.com`, 'homoglyph'))
          expect(scripts.filter((script) => script.test(name.slice(0, -4))).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});

it('IDNA mapping leaves every lookalike letter unchanged', () => {
  const tables = [LATIN_CONFUSABLES, ...SCRIPT_CONFUSABLES];
  const letters = tables.flatMap((table) => [...table.values()].flat());
  expect(letters.filter((letter) => parse(`${letter}.com`).unicode !== `${letter}.com`)).toEqual([]);
});

function isName(input: string): boolean {
  try {
    return parse(input).ascii !== '';
  } catch {
    return false;
  }
}
