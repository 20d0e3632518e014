/** Line breaks, other control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** One printable line: a text cannot pass for a line of its own, nor turn what surrounds it around. */
export function toPrintableLine(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
}
