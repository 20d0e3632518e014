/** A reply may be endless. */
const MAX_READ_BYTES = 16 * 1_024;
const MAX_EXCERPT_BYTES = 4 * 1_024;
/** PostgreSQL text has no NUL, and terminals interpret control characters. Tabs and line ends are harmless. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * The start of the reply, for debugging; null for an empty one. The status decides the outcome, so a reply that breaks
 * off is not an error.
 */
export async function readExcerpt(reply: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of reply) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_READ_BYTES) break; // which destroys the stream, and its socket with it
    }
  } catch {
    // What came before the break is the excerpt.
  }
  return length === 0 ? null : toExcerpt(Buffer.concat(chunks));
}

/** Whole characters only: replacing invalid UTF-8 makes it longer, and the cut may fall inside a character. */
export function toExcerpt(bytes: Uint8Array): string {
  const text = decodePrefix(MAX_EXCERPT_BYTES, bytes).replace(CONTROLS, '\uFFFD');
  return decodePrefix(MAX_EXCERPT_BYTES, Buffer.from(text));
}

function decodePrefix(limit: number, bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: bytes.length > limit });
}
