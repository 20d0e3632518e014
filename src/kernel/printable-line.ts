/** Line breaks, other control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Characters that nobody sees, for a class of a pattern with the flag `u`: control characters, halves of characters,
 * marks that turn the direction, and those without width, such as ZERO WIDTH SPACE and SOFT HYPHEN. Two names that
 * differ only in such characters look the same. The joiners are among them, so an emoji made of several is refused.
 */
export const HIDDEN_CHARACTERS = [
  String.raw`\u0000-\u001f\u007f-\u009f\ud800-\udfff`,
  String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164`,
  String.raw`\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}`,
].join('');

/** One printable line: a text cannot pass for a line of its own, nor turn what surrounds it around. */
export function toPrintableLine(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
}
