/**
 * Replaces control and invisible characters: PostgreSQL cannot store a NUL, and escape sequences could control a
 * terminal.
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
