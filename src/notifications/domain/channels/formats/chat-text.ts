const ELLIPSIS = '…';
/** Line breaks, other control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/** Escapes one character. */
export type Escape = (character: string) => string;

/**
 * One printable line. `@` is followed by a zero-width space: with it, no product mentions anyone, also where a
 * receiver forwards the text to another one.
 */
export function toPlainLine(text: string): string {
  const line = text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
  return line.replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
}

/**
 * The text, escaped, in at most `limit` units; a longer one ends in an ellipsis. Neither a character nor what it is
 * escaped to is ever cut in two.
 * @param sizeOf the units of the limit; UTF-16 code units by default
 */
export function truncate(
  text: string,
  limit: number,
  escape: Escape = (character) => character,
  sizeOf: (text: string) => number = ({ length }) => length,
): string {
  const whole = Array.from(text, escape).join('');
  if (sizeOf(whole) <= limit) return whole;
  let size = sizeOf(ELLIPSIS);
  let kept = '';
  for (const character of text) {
    const next = escape(character);
    size += sizeOf(next);
    if (size > limit) break;
    kept += next;
  }
  return kept.trimEnd() + ELLIPSIS;
}

/** For limits in bytes of UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** For HTML and what resembles it. */
export function escapeHtml(character: string): string {
  return HTML[character] ?? character;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
