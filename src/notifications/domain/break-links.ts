const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A text of a registry or registrar, in which no mail program or chat finds an address to link or to show a preview
 * of: a zero-width space breaks it. An account's own texts keep their links.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
