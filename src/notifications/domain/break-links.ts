const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Breaks addresses in a registry's or registrar's text by zero-width spaces, so that no mail program or chat makes
 * links or previews of them. An account's own texts keep their links.
 */
export function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}
