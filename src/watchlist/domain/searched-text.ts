import type { DomainName } from '../../domains/language.js';
import type { EntrySettings } from './entry-settings.js';

/** Separates tags, and ends the text before them. No search, tag or note contains it. */
const TAG_SEPARATOR = '\x1f';

/** A row of an index has 2704 bytes at most, of which the other columns take up to 500. */
const MAX_INDEXED_BYTES = 2_000;

/** The text that a search reads beside the name. One of the two is set: an index has no room for a long text. */
export interface SearchedText {
  readonly searchedText: string | null;
  readonly longText: string | null;
}

/**
 * The Unicode form of the name, the note and the tags in their searched form; then the tags as they are, each between
 * separators. Both are null where there is no text.
 */
export function searchedTextOf(
  { ascii, unicode }: DomainName,
  { note, tags }: Pick<EntrySettings, 'note' | 'tags'>,
): SearchedText {
  const read = [unicode === ascii ? '' : unicode, note?.replaceAll(TAG_SEPARATOR, '') ?? '', ...tags];
  const text = toSearched(read.filter((part) => part !== '').join('\n')) + tagsBetweenSeparators(tags);
  const isLong = Buffer.byteLength(text) > MAX_INDEXED_BYTES;
  return { searchedText: isLong || text === '' ? null : text, longText: isLong ? text : null };
}

/** In lower case, character by character: the content of a text does not depend on the text around. */
export function toSearched(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('');
}

export function tagsBetweenSeparators(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `${TAG_SEPARATOR}${tags.join(TAG_SEPARATOR)}${TAG_SEPARATOR}`;
}
