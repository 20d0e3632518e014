import { describe, expect, it } from '@jest/globals';
import { findDoubt, splitPasted, splitSuffixes, toNames } from '../../../ui/src/screens/check/pasted-names.js';

describe('text pasted into the name check', () => {
  it.each([
    ['one name per line', 'a.test\r\nb.test\n\n', ['a.test', 'b.test']],
    ['commas, semicolons and spaces', 'a.test, b.test;c.test d.test\te.test', 'abcde'],
    ['separators from other scripts', 'a.test，b.test、c.test；d.test', 'abcd'],
    ['the same name in upper and lower case', 'a.test A.TEST a.test', ['a.test']],
    ['quotes, brackets and punctuation', '"a.test" <b.test> (c.test): «d.test»!', 'abcd'],
    ['list numbers and bullets', '1. a.test\n2) b.test\n- c.test\n• d.test\n* e.test', 'abcde'],
    ['Unicode names', 'bücher.test 例え.test', ['bücher.test', '例え.test']],
    [
      'URLs and mail addresses',
      'https://www.a.test/b?c=d;e mailto:x@b.test',
      ['https://www.a.test/b?c=d', 'mailto:x@b.test'],
    ],
    ['commas in the path of a URL', 'https://a.test/x,y,z;s b.test', ['https://a.test/x', 'b.test']],
    [
      'URLs without a space between them',
      'https://a.test/,https://b.test,c.test',
      ['https://a.test/', 'https://b.test', 'c.test'],
    ],
    ['names that begin with a hyphen', '-bad.test --worse.test', ['-bad.test', '--worse.test']],
    ['a wildcard', '*.a.test', ['*.a.test']],
    ['words without a dot', 'acme, brand', ['acme', 'brand']],
    ['no names', ' ,;\n-- 12 ', []],
  ])('is split into the expected names if it contains: %s', (_, text, expected) => {
    const names = typeof expected === 'string' ? [...expected].map((letter) => `${letter}.test`) : expected;
    expect(splitPasted(text)).toEqual(names);
  });

  it('is read as at most one name if it has 100,000 characters without a separator', () => {
    for (const text of ['a'.repeat(100_000), '<'.repeat(100_000), `${'-'.repeat(50_000)}a${'>'.repeat(50_000)}b`])
      expect(splitPasted(text).length).toBeLessThan(2);
  });

  it('becomes a name under each chosen TLD if it is a single word', () => {
    const suffixes = splitSuffixes('com, .net co.uk .COM');
    expect(suffixes).toEqual(['com', 'net', 'co.uk']);
    expect(toNames(['acme', 'a.test'], suffixes)).toEqual(['acme.com', 'acme.net', 'acme.co.uk', 'a.test']);
    expect(toNames(['acme'], [])).toEqual([]);
  });

  it.each([
    ['ex ample.test', 'example.test'],
    ['a.test\nex  ample.test', 'example.test'],
    ['- ex ample.test', 'example.test'],
  ])('raises a question if a space may split one name into two: %j', (text, joined) => {
    expect(findDoubt(text)).toMatchObject({ joined, read: ['ex', 'ample.test'] });
  });

  it.each([
    '',
    'acme',
    'acme brand',
    'a.test b.test',
    'acme, a.test',
    '1. a.test',
    '- a.test',
    'acme\na.test',
    'mail x@a.test',
  ])('raises no question about a split name: %j', (text) => {
    expect(findDoubt(text)).toBeNull();
  });
});
