import type { DomainName } from '../../domains/language.js';
import type { EntrySettings } from './entry-settings.js';

/**
 * Surrounds each tag at the end of the searched text. No other part contains this character, so its first occurrence
 * starts the tags.
 */
const TAG_SEPARATOR = '\x1f';

/**
 * The longest indexed text. PostgreSQL limits an index row to 2704 bytes, and the index's other columns take up to 500.
 */
const MAX_INDEXED_BYTES = 2_000;

/** The text that a search reads besides the name. `longText` holds a text that is too long for an index. */
export interface SearchedText {
  readonly searchedText: string | null;
  readonly longText: string | null;
}

/** Joins the Unicode name, the note and the tags in lower case, and adds the unchanged tags between separators. */
export function searchedTextOf(
  { ascii, unicode }: DomainName,
  { note, tags }: Pick<EntrySettings, 'note' | 'tags'>,
): SearchedText {
  const read = [unicode === ascii ? '' : unicode, note?.replaceAll(TAG_SEPARATOR, '') ?? '', ...tags];
  const text = toSearched(read.filter((part) => part !== '').join('\n')) + tagsBetweenSeparators(tags);
  const isLong = Buffer.byteLength(text) > MAX_INDEXED_BYTES;
  return { searchedText: isLong || text === '' ? null : text, longText: isLong ? text : null };
}

/**
 * Converts each character separately, because in a whole text the lower case of `Σ` depends on the letters around it.
 */
export function toSearched(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('');
}

export function tagsBetweenSeparators(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `${TAG_SEPARATOR}${tags.join(TAG_SEPARATOR)}${TAG_SEPARATOR}`;
}
