const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Inserts zero-width spaces into addresses, so that mail programs and chats make no links. Use this only for texts of
 * registries and registrars.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
