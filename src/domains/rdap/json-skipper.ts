const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const PRIMITIVE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Finds the end of a JSON value without creating it, by the whole grammar (RFC 8259). For text without white space
 * between its tokens and without escapes in its strings: anything else counts as malformed here.
 * @returns the index behind the value; -1 where it is malformed or deeper than the limit
 */
export function skipValue(text: string, from: number, maxDepth: number): number {
  const awaited: number[] = []; // closing brackets, the innermost last
  for (let at = from; at >= 0;) {
    const code = text.charCodeAt(at);
    const closing = code === OPEN_OBJECT ? CLOSE_OBJECT : code === OPEN_LIST ? CLOSE_LIST : 0;
    if (closing === 0) at = code === QUOTE ? text.indexOf('"', at + 1) + 1 || -1 : skipPrimitive(text, at);
    else if (text.charCodeAt(at + 1) === closing) at = awaited.length < maxDepth ? at + 2 : -1;
    else {
      if (awaited.push(closing) > maxDepth) return -1;
      at = closing === CLOSE_OBJECT ? skipKey(text, at + 1) : at + 1;
      continue;
    }
    while (at >= 0 && awaited.length > 0 && text.charCodeAt(at) === awaited.at(-1)) {
      awaited.pop();
      at += 1;
    }
    if (at < 0 || awaited.length === 0) return at;
    if (text.charCodeAt(at) !== COMMA) return -1;
    at = awaited.at(-1) === CLOSE_OBJECT ? skipKey(text, at + 1) : at + 1;
  }
  return -1;
}

/** @returns the index behind the key and its colon, or -1 */
export function skipKey(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return -1;
  const end = text.indexOf('"', from + 1);
  return end > 0 && text.charCodeAt(end + 1) === COLON ? end + 2 : -1;
}

function skipPrimitive(text: string, at: number): number {
  PRIMITIVE.lastIndex = at;
  return PRIMITIVE.test(text) ? PRIMITIVE.lastIndex : -1;
}
