import { toPrintableLine } from '../../events/printable-line.js';

const ELLIPSIS = '…';
export const ZERO_WIDTH_SPACE = '\u200b';

/** Escapes one character. */
export type Escape = (character: string) => string;

/** What begins a mention, a tag or a link; the `]` between the text of a link or image and its address. */
const LIVE = /@|<(?=\S)|\](?=[([])|!(?=\[)/g;

/**
 * One printable line, with a zero-width space behind what could begin a mention or hide the address of a link. So it is
 * in no product, also where a receiver forwards the text to another one that reads other markup.
 */
export function toPlainLine(text: string): string {
  return toPrintableLine(text).replaceAll(LIVE, `$&${ZERO_WIDTH_SPACE}`);
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
