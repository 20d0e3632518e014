const MAX_EXCERPT_BYTES = 4 * 1_024;
/** PostgreSQL text has no NUL, and terminals interpret control characters. Tabs and line ends are harmless. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Whole characters only: replacing invalid UTF-8 makes it longer, and the cut may fall inside a character. */
export function toExcerpt(bytes: Uint8Array): string {
  const text = decodePrefix(MAX_EXCERPT_BYTES, bytes).replace(CONTROLS, '\uFFFD');
  return decodePrefix(MAX_EXCERPT_BYTES, Buffer.from(text));
}

function decodePrefix(limit: number, bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: bytes.length > limit });
}
