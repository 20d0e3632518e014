/** Line breaks, other control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/** One printable line: a text cannot pass for a line of its own, nor turn what surrounds it around. */
export function toPrintableLine(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
}

/**
 * A text of a registry or registrar, in which no mail program or chat finds an address to link or to show a preview of: a
 * zero-width space breaks it. What an account writes itself keeps its links.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
