/** Control characters, those that are not seen or turn the direction of a line, and line ends that are no `\n`. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Others chose this text: it must not move the cursor or turn the line around. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** Line by line. */
export function toPrintableLines(text: string): string {
  return text.split('\n').map(toPrintable).join('\n');
}

/** JSON of the same value. `JSON.stringify` itself leaves C1 controls and characters that turn the direction as they are. */
export function toPrintableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value));
}

/** @param json on one line */
export function escapeInJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
