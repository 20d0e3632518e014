/** Matches line breaks, other control characters, and marks that change the direction of the text after them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Invisible characters, for a regular expression with the flag `u`. Names that differ only in these look the same. */
export const HIDDEN_CHARACTERS = [
  String.raw`\u0000-\u001f\u007f-\u009f\ud800-\udfff`,
  String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164`,
  String.raw`\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}`,
].join('');

/** Makes one printable line, so that a text can neither add lines nor reverse the text around it. */
export function toPrintableLine(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
}
