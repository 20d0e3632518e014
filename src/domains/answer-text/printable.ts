/**
 * Trims the text, and replaces control and invisible characters by spaces. A NUL cannot be stored, and an escape
 * sequence could control a terminal.
 */
export function toPrintable(text: string): string {
  if (isPrintableAscii(text)) return text.trim();
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}

export function isPrintableAscii(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}
