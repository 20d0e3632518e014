const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Breaks addresses in a text of a registry or registrar by a zero-width space. So no mail program or chat makes a link
 * or a preview of them. An account's own texts keep their links.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
