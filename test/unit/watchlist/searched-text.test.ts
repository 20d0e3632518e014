import { describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../src/domains/language.js';
import { searchedTextOf, toSearched } from '../../../src/watchlist/domain/searched-text.js';

const of = (domain: string, note: string | null = null, tags: readonly string[] = []) =>
  searchedTextOf(DomainName.restore(domain), { note, tags });
const finds = (text: string | null, search: string) => text?.includes(toSearched(search)) ?? false;

describe('the search text of an entry', () => {
  it('contains the Unicode name, the note and the tags, and ignores upper and lower case', () => {
    const { searchedText: text } = of('xn--bcher-kva.test', 'Ask LEGAL first', ['Straße', 'shop']);
    for (const search of ['BÜCHER', 'legal', 'STRASSE'.replace('SS', 'ß'), 'Shop'])
      expect(finds(text, search)).toBe(true);
    for (const search of ['firststra', 'xn--', 'strasse']) expect(finds(text, search)).toBe(false);
  });

  it('is found by a part of a word, even if that ends in a Greek sigma', () => {
    expect(finds(of('plain.test', 'ΟΔΟΣΑΘΗΝΩΝ').searchedText, 'ΟΔΟΣ')).toBe(true);
  });

  it('has each tag also unchanged, between separators that a note cannot contain', () => {
    expect(of('plain.test', null, ['One', 'two']).searchedText).toBe('one\ntwo\x1fOne\x1ftwo\x1f');
    expect(of('plain.test', 'not a \x1ftag\x1f').searchedText).toBe('not a tag');
  });

  it('is missing for an ASCII name without note and tags', () => {
    expect(of('plain.test')).toEqual({ searchedText: null, longText: null });
  });

  it('is stored in a separate column if it is too long for the index', () => {
    expect(of('plain.test', 'é'.repeat(1_000))).toEqual({ searchedText: 'é'.repeat(1_000), longText: null });
    expect(of('plain.test', 'é'.repeat(1_001))).toEqual({ searchedText: null, longText: 'é'.repeat(1_001) });
  });
});
