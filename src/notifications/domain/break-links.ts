const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Inserts zero-width spaces into web addresses, so that mail programs and chats make no links. Use this for values of
 * registration records, because a stranger may have written a harmful address into the record.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
